// `npm run test:nodes -- [--write] [MAJOR…]`: the newest release of each supported line of Node.js runs the tests of core, of the drivers,
// the whole conformance suite included, and of the front door. `--write` puts the table into docs/nodes.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureServers } from './lib/find-servers.mjs';
import { fetchNodes } from './lib/node-releases.mjs';
import { runTests } from './lib/run-tests.mjs';

const supported = ['20', '22', '24', '26'];
const projects = ['core', 'driver-memory', 'driver-zk', 'driver-etcd', 'concordat'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });

async function main() {
  if (values.write && positionals.length > 0) throw new Error('--write wants all of them');
  ensureServers();
  const folder = mkdtempSync(join(tmpdir(), 'concordat-nodes-'));
  try {
    const rows = [];
    for (const node of fetchNodes(positionals.length > 0 ? positionals : supported, folder)) {
      const row = await testOn(node);
      rows.push(row);
      if (row.interrupted) break;
    }
    report(rows);
    return rows.every(({ code }) => code === 0) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Everything that is started by name or as `process.execPath` is that Node.js too. */
async function testOn({ node, version }) {
  console.log(`\ntest:nodes: Node.js ${version}`);
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  const startedAt = performance.now();
  const run = await runTests(
    root,
    projects.flatMap((name) => ['--project', name]),
    { node, env },
  );
  return { version, ...run, seconds: Math.round((performance.now() - startedAt) / 1_000) };
}

function report(rows) {
  const lines = [
    '| Node.js | passed | failed | skipped | seconds |',
    '|---|---|---|---|---|',
    ...rows.map(
      ({ version, counts: { total }, seconds }) =>
        `| ${[version, total.passed, total.failed, total.skipped, seconds].join(' | ')} |`,
    ),
  ];
  console.log(`\n${lines.join('\n')}\n`);
  const sum = (name) => rows.reduce((all, { counts }) => all + counts.total[name], 0);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  if (values.write && rows.length === supported.length) writeFileSync(join(root, 'docs', 'nodes.md'), page(lines));
}

function page(lines) {
  return `# Versions of Node.js

Made by \`npm run test:nodes -- --write\`: the newest release of each line, as npm has it, ran the tests of ${projects.join(', ')}, with the whole
conformance suite on memory, ZooKeeper and etcd, on real servers, from one and the same installation: nothing of it is compiled, and nothing is bound to a
version of Node.js. (npm \`zookeeper\`, for \`transport=native\` alone, is: \`npm run test:native\`.)

${lines.join('\n')}
`;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`test:nodes: ${error.message}`);
  process.exitCode = 1;
}
