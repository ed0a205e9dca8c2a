// `npm run chaos -- --backend etcd|zookeeper [--minutes 5] [--seed 7] [--clients 5] [--session-timeout 6s] [--out FOLDER]`
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const node = (...args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;

const built = node(compiler, '-b', join(root, 'chaos'));
if (built !== 0) process.exit(built);
process.exit(node(join(root, 'chaos', 'dist', 'main.js'), ...process.argv.slice(2)));
