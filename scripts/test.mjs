// What `npm test` runs: real servers are found or installed, then every test of every package runs once. A skipped test is
// a failed run. Arguments are passed on to vitest.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureServers } from './lib/find-servers.mjs';
import { printCounts, runTests } from './lib/run-tests.mjs';

try {
  ensureServers();
  const { code, counts } = await runTests(dirname(dirname(fileURLToPath(import.meta.url))), process.argv.slice(2));
  printCounts(counts);
  process.exitCode = code;
} catch (error) {
  console.error(`test: ${error.message}`);
  process.exitCode = 1;
}
