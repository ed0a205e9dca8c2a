// Which server programs this machine has, and Debian's packages for those it has not. What is found here is what
// packages/conformance/src/servers starts.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @param {string} name */
export function hasProgram(name) {
  const { PATH = '', JAVA_HOME } = process.env;
  const folders = [...PATH.split(delimiter), '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  if (JAVA_HOME) folders.push(join(JAVA_HOME, 'bin'));
  return folders.some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const { CONCORDAT_ETCD_URL, CONCORDAT_ZOOKEEPER_URL, DOCKER_HOST, ZOOKEEPER_HOME } = process.env;

const kinds = [
  {
    name: 'etcd',
    given: CONCORDAT_ETCD_URL,
    packages: () => (hasProgram('etcd') ? [] : ['etcd-server']),
  },
  {
    name: 'zookeeper',
    given: CONCORDAT_ZOOKEEPER_URL,
    packages: () => [
      ...(ZOOKEEPER_HOME || existsSync('/usr/share/java/zookeeper.jar') ? [] : ['libzookeeper-java']),
      ...(hasProgram('java') ? [] : ['default-jre-headless']),
    ],
  },
];

/** Debian packages that would bring what is neither given nor installed. */
export function missingPackages() {
  return kinds.filter((kind) => !kind.given).flatMap((kind) => kind.packages());
}

/** True when packages can be installed here. */
export function canInstall() {
  return process.getuid?.() === 0 && hasProgram('apt-get');
}

/** True when a container engine may answer; whether it does is seen when it is used. */
export function hasContainerEngine() {
  return Boolean(DOCKER_HOST) || existsSync('/var/run/docker.sock');
}

/**
 * Installs Debian packages without starting their services.
 *
 * @param {string[]} packages
 */
export function installPackages(packages) {
  const script = fileURLToPath(new URL('install-packages.sh', import.meta.url));
  // What it says belongs to the preparations, not to the results.
  const { status } = spawnSync('sh', [script, ...packages], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`apt-get could not install ${packages.join(' ')}`);
}
