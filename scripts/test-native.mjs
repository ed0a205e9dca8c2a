// `npm run test:native`: compiles npm `zookeeper`, then runs the tests of driver-zk's transport on it. Arguments are passed on to vitest.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureServers } from './lib/find-servers.mjs';
import { buildNativeClient } from './lib/native-client.mjs';
import { printCounts, runTests } from './lib/run-tests.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const project = join(root, 'packages', 'driver-zk');
try {
  buildNativeClient(root);
  ensureServers();
  const config = ['--root', project, '--config', join(project, 'vitest.native.config.ts')];
  const { code, counts } = await runTests(root, [...config, ...process.argv.slice(2)]);
  printCounts(counts);
  process.exitCode = code;
} catch (error) {
  console.error(`test:native: ${error.message}`);
  process.exitCode = 1;
}
