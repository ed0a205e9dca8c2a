// Proves the way to servers by containers: a Docker engine of its own, images made here, and the tests that use them.
// Needs root and Debian; no part of `npm test`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canInstall, hasProgram, installPackages } from './lib/find-servers.mjs';

const needed = {
  dockerd: 'docker.io',
  docker: 'docker.io',
  ip: 'iproute2',
  busybox: 'busybox-static',
  unzip: 'unzip',
  etcd: 'etcd-server',
  java: 'default-jre-headless',
};

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const missing = Object.entries(needed).flatMap(([program, name]) => (hasProgram(program) ? [] : [name]));
if (!canInstall()) {
  console.error('test-containers: needs root on a Debian machine, for a Docker engine of its own');
  process.exit(1);
}
installPackages([...new Set([...missing, 'libzookeeper-java'])]);

const containers = join(root, 'scripts', 'containers');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const run = [process.execPath, vitest, 'run', '--root', join(root, 'packages', 'conformance'), '--config'];
// Short, because the engine's socket lies in it and a socket's path has a limit of 108 bytes.
const folder = mkdtempSync(join(tmpdir(), 'box-'));
const command = [folder, join(containers, 'run.sh'), ...run, 'vitest.containers.config.ts'];
const { status } = spawnSync(join(containers, 'box.sh'), command, { stdio: ['ignore', 'inherit', 'inherit'] });
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
