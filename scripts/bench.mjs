// `npm run bench -- [--backend memory|etcd|zookeeper|all] [--only MEASURE] [--quick] [--write]`
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildNativeClient } from './lib/native-client.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const node = (...args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;

const built = node(compiler, '-b', join(root, 'bench'));
if (built !== 0) process.exit(built);
// The one measure that compares it with the driver's own transport.
const { backend = 'all', only = 'transports' } = parseArgs({
  strict: false,
  options: { backend: { type: 'string' }, only: { type: 'string' } },
}).values;
if (['all', 'zookeeper'].includes(backend) && only === 'transports') buildNativeClient(root);
const report = join(root, 'docs', 'benchmarks.md');
const args = process.argv.slice(2).flatMap((argument) => (argument === '--write' ? ['--write', report] : [argument]));
// With the collector at hand memory is measured after a collection, not before one.
process.exit(node('--expose-gc', join(root, 'bench', 'dist', 'main.js'), ...args));
