// Compiles npm `zookeeper`, which nothing here needs but what tests or measures `transport=native`.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { canInstall, hasProgram, installPackages } from './find-servers.mjs';

const compilers = ['g++', 'make', 'python3'];

/**
 * Compiles it by its own install script, once for each Node.js.
 *
 * @param {string} root
 * @throws {Error} which names the remedy
 */
export function buildNativeClient(root) {
  const installed = join(root, 'packages', 'driver-zk', 'node_modules', 'zookeeper');
  if (!existsSync(installed)) throw new Error('npm `zookeeper` is not installed: npm run bootstrap -- --force');
  // Where pnpm put it, with the patch applied; the name changes with the patch.
  const folder = realpathSync(installed);
  const stampFile = join(folder, 'build', 'built-for');
  const stamp = `Node.js ${process.version}, ABI ${process.versions.modules}, ${process.platform} ${process.arch}`;
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp && loads(folder)) return;
  ensureCompilers();
  console.error(`native: compiling npm zookeeper for ${stamp}`);
  // What its script finds there it does not build again.
  rmSync(join(folder, 'build'), { recursive: true, force: true });
  const { status } = spawnSync('npm', ['run', 'install'], {
    cwd: folder,
    // What it says belongs to the preparations, not to the results.
    stdio: ['ignore', 2, 2],
    env: withHeaders(process.env),
    shell: process.platform === 'win32',
  });
  if (status !== 0 || !loads(folder)) throw new Error('npm `zookeeper` could not be compiled; what it said is above');
  writeFileSync(stampFile, stamp);
}

function loads(folder) {
  const { status } = spawnSync(process.execPath, ['--eval', 'require(process.argv[1])', folder], { stdio: 'ignore' });
  return status === 0;
}

function ensureCompilers() {
  const path = (process.env.PATH ?? '').split(delimiter);
  const missing = compilers.filter((name) => !hasProgram(name, path));
  // Elsewhere the compilers have other names, or prebuilt clients come with the package: its own script says what it lacks.
  if (missing.length === 0 || process.platform !== 'linux') return;
  const remedy = `apt-get install --no-install-recommends ${missing.join(' ')}`;
  if (!canInstall())
    throw new Error(`npm \`zookeeper\` is compiled, and ${missing.join(', ')} is missing. As root: ${remedy}`);
  console.error(`native: installing ${missing.join(' ')}`);
  installPackages(missing);
  const absent = missing.filter((name) => !hasProgram(name, path));
  if (absent.length > 0) throw new Error(`${absent.join(', ')} is installed, and not in PATH`);
}

// node-gyp downloads headers unless told where they are, and many machines cannot reach that server.
function withHeaders(env) {
  const prefix = dirname(dirname(realpathSync(process.execPath)));
  if (env.npm_config_nodedir || !existsSync(join(prefix, 'include', 'node', 'node.h'))) return env;
  return { ...env, npm_config_nodedir: prefix };
}
