// `npm run test:clusters`: the tests on three servers of each kind. Arguments are passed on to vitest.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureServers } from './lib/find-servers.mjs';
import { printCounts, runTests } from './lib/run-tests.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
try {
  ensureServers();
  const config = join(root, 'chaos', 'vitest.clusters.config.ts');
  const { code, counts } = await runTests(root, ['--root', root, '--config', config, ...process.argv.slice(2)]);
  printCounts(counts);
  process.exitCode = code;
} catch (error) {
  console.error(`test:clusters: ${error.message}`);
  process.exitCode = 1;
}
