// `npm run test:matrix -- [--write] [etcd|zookeeper [LINE…]]…`: servers of every line that we support run the tests of the driver for
// them, the whole conformance suite included, and those on three servers. `--write` puts the results into docs/matrix.md.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bring, stores } from './lib/matrix-servers.mjs';
import { runTests } from './lib/run-tests.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, 'docs', 'matrix.md');
const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });

async function main() {
  const wanted = readWanted();
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const built = spawnSync(process.execPath, [compiler, '-b', join(root, 'packages', 'conformance')], {
    stdio: 'inherit',
  });
  if (built.status !== 0) throw new Error('packages/conformance does not compile');
  // All of them first: what cannot be had is better known before the tests than after.
  const servers = wanted.map(({ store, line }) => bring(store, line));
  const rows = [];
  for (const server of servers) {
    const row = await testOn(server);
    rows.push(row);
    if (row.interrupted) break;
    if (values.write) write(row);
  }
  console.log(`\n${[head, rule, ...rows.map(tableRow)].join('\n')}\n`);
  const sum = (name) => rows.reduce((all, { counts }) => all + counts[name], 0);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  return rows.length === servers.length && rows.every(({ code }) => code === 0) ? 0 : 1;
}

/** `etcd 3.5 3.6 zookeeper` are two lines of one and every line of the other. */
function readWanted() {
  const wanted = new Map();
  let store = null;
  for (const word of positionals.length > 0 ? positionals : Object.keys(stores)) {
    if (Object.hasOwn(stores, word)) store = word;
    const lines = Object.keys(store === null ? {} : stores[store].lines);
    if (store === null || (word !== store && !lines.includes(word)))
      throw new Error(
        `"${word}" is neither a store nor a line of one: say ${Object.entries(stores).map(inWords).join('; ')}`,
      );
    wanted.set(store, [...(wanted.get(store) ?? []), ...(word === store ? [] : [word])]);
  }
  return [...wanted].flatMap(([name, lines]) =>
    (lines.length > 0 ? lines : Object.keys(stores[name].lines)).map((line) => ({ store: name, line })),
  );
}

function inWords([name, { lines }]) {
  return `${name} ${Object.keys(lines).join(', ')}`;
}

async function testOn(server) {
  const { store, version, env } = server;
  const { project, clusters } = stores[store];
  const startedAt = performance.now();
  const runs = [];
  for (const args of [
    ['--project', project],
    ['--root', root, '--config', join(root, 'chaos', 'vitest.clusters.config.ts'), ...clusters],
  ]) {
    console.log(`\ntest:matrix: ${store} ${version}: vitest run ${args.join(' ')}`);
    runs.push(await runTests(root, args, { env }));
    if (runs.at(-1).interrupted) break;
  }
  const sum = (name) => runs.reduce((all, { counts }) => all + counts.total[name], 0);
  return {
    ...server,
    counts: { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') },
    code: runs.find(({ code }) => code !== 0)?.code ?? 0,
    interrupted: runs.some(({ interrupted }) => interrupted),
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  };
}

const head = '| server | version | from | passed | failed | skipped | seconds | on | Node.js |';
const rule = '|---|---|---|---|---|---|---|---|---|';

function tableRow({ store, line, version, source, counts: { passed, failed, skipped }, seconds }) {
  const day = new Date().toISOString().slice(0, 10);
  return `| ${[`${store} ${line}`, version, source, passed, failed, skipped, seconds, day, process.versions.node].join(' | ')} |`;
}

/** Every line has its row on the page already; the rest of the page is not made here. */
function write(row) {
  const start = `| ${row.store} ${row.line} |`;
  const lines = readFileSync(page, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.startsWith(start));
  if (at < 0) throw new Error(`docs/matrix.md has no row "${start}"`);
  writeFileSync(page, lines.with(at, tableRow(row)).join('\n'));
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`test:matrix: ${error.message}`);
  process.exitCode = 1;
}
