// Which server programs this machine has, and Debian's packages for those it has not. What is found here is what
// packages/conformance/src/servers starts.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { PATH = '', JAVA_HOME } = process.env;
const programFolders = [...PATH.split(delimiter), '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
if (JAVA_HOME) programFolders.push(join(JAVA_HOME, 'bin'));

/**
 * @param {string} name
 * @param {string[]} folders default: PATH, and where servers are, which not every PATH names
 */
export function hasProgram(name, folders = programFolders) {
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

/**
 * Sees to it that there are servers to test with: given, installed, installed now, or in containers.
 *
 * @throws {Error} which names the remedies
 */
export function ensureServers() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  if (canInstall()) {
    console.error(`test: installing ${missing.join(' ')}`);
    installPackages(missing);
  } else if (!hasContainerEngine()) {
    throw new Error(
      [
        'the tests run against real servers, and this machine lacks some. One of these helps:',
        `  as root: apt-get install --no-install-recommends ${missing.join(' ')}`,
        '  servers of yours: CONCORDAT_ETCD_URL=etcd://host:2379 CONCORDAT_ZOOKEEPER_URL=zookeeper://host:2181',
        '  a container engine: DOCKER_HOST, or its usual socket',
      ].join('\n'),
    );
  }
}

/**
 * Sees to it that a server's program is installed here, whatever else could be tested with.
 *
 * @param {string} name
 * @throws {Error} which names the remedy
 */
export function ensureInstalled(name) {
  const missing = kinds.filter((kind) => kind.name === name).flatMap((kind) => kind.packages());
  if (missing.length === 0) return;
  if (!canInstall())
    throw new Error(`${name} is not installed. As root: apt-get install --no-install-recommends ${missing.join(' ')}`);
  console.error(`test: installing ${missing.join(' ')}`);
  installPackages(missing);
}

/** Debian packages that would bring what is neither given nor installed. */
function missingPackages() {
  return kinds.filter((kind) => !kind.given).flatMap((kind) => kind.packages());
}

/** True when packages can be installed here. */
export function canInstall() {
  return process.getuid?.() === 0 && hasProgram('apt-get');
}

/** True when a container engine may answer; whether it does is seen when it is used. */
function hasContainerEngine() {
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
