// The servers of `npm run test:matrix`: how each line is brought, and which tests are for it.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildEtcd } from './etcd-releases.mjs';
import { ensureInstalled } from './find-servers.mjs';
import { fetchZooKeeper } from './zookeeper-releases.mjs';

const scripts = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(dirname(scripts), 'node_modules', '.cache', 'concordat-servers');

// How each line is brought: what its tests find by the environment that this returns.
const debian = (store) => {
  ensureInstalled(store);
  return { source: 'Debian', env: {} };
};
const goModule = (line) => {
  const { folder } = buildEtcd(line, cache);
  return { source: 'Go module', env: { PATH: [folder, process.env.PATH].join(delimiter) } };
};
const maven = (line) => {
  const { folder, unavailable } = fetchZooKeeper(line, cache);
  const missing = unavailable.length === 0 ? '' : ` (not ${unavailable.join(', ')}, which could not be had)`;
  return { source: `Maven${missing}`, env: { ZOOKEEPER_HOME: folder } };
};

export const stores = {
  etcd: {
    project: 'driver-etcd',
    clusters: ['chaos/test/clusters/etcd-', 'packages/conformance/test/cluster/etcd'],
    lines: { 3.4: () => debian('etcd'), 3.5: goModule, 3.6: goModule, 3.7: goModule },
  },
  zookeeper: {
    project: 'driver-zk',
    clusters: ['chaos/test/clusters/zookeeper-', 'packages/conformance/test/cluster/zookeeper'],
    lines: { 3.8: () => debian('zookeeper'), 3.9: maven },
  },
};

/**
 * A server of this line, with the environment by which tests find it, and the version that it answers with.
 *
 * @param {'etcd' | 'zookeeper'} store
 * @param {string} line
 * @throws {Error} which names the remedy
 */
export function bring(store, line) {
  const { source, env } = stores[store].lines[line](line);
  // A server that somebody gave, and other installations, are not what is asked about.
  const { CONCORDAT_ETCD_URL, CONCORDAT_ZOOKEEPER_URL, ZOOKEEPER_HOME, ...own } = process.env;
  const server = { store, line, source, env: { ...own, ...env } };
  const ask = join(scripts, 'lib', 'server-version.mjs');
  const { status, stdout } = spawnSync(process.execPath, [ask, store], {
    env: server.env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const version = stdout.trim();
  if (status !== 0 || !version.startsWith(`${line}.`))
    throw new Error(`${store} ${line} (${source}) says that it is "${version}"`);
  console.log(`test:matrix: ${store} ${line} answers as ${version} (${source})`);
  return { ...server, version };
}
