// `npm run tarballs`: every package as it would be published, in ./packed, with `workspace:` versions resolved as npm alone does not.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const run = (cwd, ...args) => {
  const { status } = spawnSync(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
};

const packed = join(root, 'packed');
rmSync(packed, { recursive: true, force: true });
run(root, require.resolve('typescript/bin/tsc'), '-b');
const pnpm = join(root, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');
for (const folder of readdirSync(join(root, 'packages')))
  run(join(root, 'packages', folder), pnpm, 'pack', '--pack-destination', packed);
for (const tarball of readdirSync(packed)) console.log(join('packed', tarball));
