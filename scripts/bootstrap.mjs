// One-command set-up on a machine that has only Node and the npm that came with it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Concordat needs Node.js 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

const manifests = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((name) => join(root, name));
for (const folder of readdirSync(join(root, 'packages')))
  manifests.push(join(root, 'packages', folder, 'package.json'));
for (const folder of ['examples', 'bench', 'simulation', 'chaos']) manifests.push(join(root, folder, 'package.json'));

const hash = createHash('sha256');
for (const file of manifests) if (existsSync(file)) hash.update(readFileSync(file));
const stamp = hash.digest('hex');
const stampFile = join(root, 'node_modules', '.bootstrap-stamp');
const current = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
if (current === stamp && !process.argv.includes('--force')) process.exit(0);

const env = { ...process.env, CI: process.env.CI ?? '1', DO_NOT_TRACK: '1', TURBO_TELEMETRY_DISABLED: '1' };

const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
console.error(`bootstrap: installing dependencies with ${packageManager}`);
const install = spawnSync('npx', ['--yes', packageManager, '-C', root, 'install', '--frozen-lockfile'], {
  // Inside the repository a half-installed local pnpm would shadow the one npx brings.
  cwd: tmpdir(),
  stdio: ['ignore', process.argv.includes('--quiet') ? 'ignore' : 2, 'inherit'],
  env,
  shell: process.platform === 'win32',
});
if (install.status !== 0) {
  console.error('bootstrap: the installation failed; run it again with `npm run bootstrap -- --force` to see why.');
  process.exit(install.status ?? 1);
}
writeFileSync(stampFile, stamp);
