// Runs vitest as every script here does: the terminal shows it, its JSON report is counted, and a skipped test is a failed run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTests } from './test-report.mjs';

/**
 * Runs tests once. `code` is 0 when all that there are passed, and there are some.
 *
 * @param {string} root
 * @param {string[]} args for `vitest run`
 * @param {{ node?: string, env?: NodeJS.ProcessEnv }} [options] the Node.js that runs them, and its environment
 */
export async function runTests(root, args, options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'concordat-test-'));
  try {
    const reportFile = join(folder, 'report.json');
    const { code, interrupted } = await runVitest(root, [...reporters(reportFile), ...args], options);
    const counts = existsSync(reportFile)
      ? countTests(JSON.parse(readFileSync(reportFile, 'utf8')), root)
      : withoutReport(code);
    const { passed, failed, skipped } = counts.total;
    const sound = code === 0 && failed === 0 && skipped === 0 && passed > 0;
    return { code: sound ? 0 : code || 1, interrupted, counts };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The closing lines of a run, as CI reads them. */
export function printCounts({ total, conformance }) {
  for (const [backend, { passed, failed, skipped }] of conformance)
    console.log(`conformance on ${backend}: ${passed + failed} executed, ${skipped} skipped`);
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
}

function withoutReport(code) {
  console.error(`vitest ended with ${code} and without a report`);
  return { total: { passed: 0, failed: 1, skipped: 0 }, conformance: new Map() };
}

function reporters(reportFile) {
  return ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
}

async function runVitest(root, args, { node = process.execPath, env = process.env }) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const run = spawn(node, [vitest, 'run', ...args], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env });
  let interrupted = false;
  const listeners = {
    // The terminal tells vitest as well, which ends in order; this process waits for it.
    SIGINT: () => {
      interrupted = true;
    },
    SIGTERM: () => {
      interrupted = true;
      run.kill('SIGTERM');
    },
  };
  for (const [signal, listener] of Object.entries(listeners)) process.on(signal, listener);
  const [code] = await once(run, 'exit');
  for (const [signal, listener] of Object.entries(listeners)) process.off(signal, listener);
  return { code: code ?? 1, interrupted };
}
