// What `npm test` runs: real servers are found or installed, then every test of every package runs once. A skipped test is
// a failed run. Arguments are passed on to vitest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canInstall, hasContainerEngine, installPackages, missingPackages } from './lib/find-servers.mjs';
import { countTests } from './lib/test-report.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function findServers() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  if (canInstall()) {
    console.error(`test: installing ${missing.join(' ')}`);
    installPackages(missing);
  } else if (!hasContainerEngine()) {
    throw new Error(
      [
        'the tests run against real servers, and this machine lacks some. One of these helps:',
        `  as root: apt-get install --no-install-recommends ${missing.join(' ')}`,
        '  servers of yours: CONCORDAT_ETCD_URL=etcd://host:2379 CONCORDAT_ZOOKEEPER_URL=zookeeper://host:2181',
        '  a container engine: DOCKER_HOST, or its usual socket',
      ].join('\n'),
    );
  }
}

async function runVitest(reportFile) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const run = spawn(process.execPath, [vitest, 'run', ...reporters, ...process.argv.slice(2)], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  // The terminal tells vitest as well, which ends in order; this process waits for it.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => run.kill('SIGTERM'));
  const [code] = await once(run, 'exit');
  return code ?? 1;
}

function printCounts({ total, conformance }) {
  for (const [backend, { passed, failed, skipped }] of conformance)
    console.log(`conformance on ${backend}: ${passed + failed} executed, ${skipped} skipped`);
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
}

async function main() {
  findServers();
  const folder = mkdtempSync(join(tmpdir(), 'concordat-test-'));
  try {
    const reportFile = join(folder, 'report.json');
    const code = await runVitest(reportFile);
    if (!existsSync(reportFile)) throw new Error(`vitest ended with ${code} and without a report`);
    const counts = countTests(JSON.parse(readFileSync(reportFile, 'utf8')), root);
    printCounts(counts);
    const { passed, failed, skipped } = counts.total;
    return code !== 0 || failed > 0 || skipped > 0 || passed === 0 ? code || 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`test: ${error.message}`);
  process.exitCode = 1;
}
