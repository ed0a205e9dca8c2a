// `npm run simulate -- [--seeds N] [--from N] [--workers N] [--twice-every N]`, or `-- --seed N [--trace] [--shrink] [--without 1,2]`
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const node = (...args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;

const built = node(compiler, '-b', join(root, 'simulation'));
process.exitCode = built === 0 ? node(join(root, 'simulation', 'dist', 'main.js'), ...process.argv.slice(2)) : built;
