import { containerServer, findEngine } from './container-server.js';
import { etcdKind } from './etcd-kind.js';
import { givenServer } from './given-server.js';
import { installedServer } from './installed-server.js';
import { StoreNode } from './node.js';
import type { Server } from './server.js';
import type { StoreKind } from './store-kind.js';
import { zooKeeperKind } from './zookeeper-kind.js';

/**
 * Starts one etcd, or uses the one given in `CONCORDAT_ETCD_URL`: an installed program, else a container.
 *
 * Rejects with the remedy when there is no way to one; never skips.
 */
export async function startEtcd(): Promise<StoreNode> {
  return new StoreNode(etcdKind, await serverOf(etcdKind));
}

/** The same for ZooKeeper, with `CONCORDAT_ZOOKEEPER_URL`. */
export async function startZooKeeper(): Promise<StoreNode> {
  return new StoreNode(zooKeeperKind, await serverOf(zooKeeperKind));
}

/** Looks for a server in the order that {@link startEtcd} states. */
export async function serverOf(kind: StoreKind, lookForEngine = findEngine): Promise<Server> {
  const url = process.env[kind.urlVariable];
  if (url) {
    announce(kind, `the server given in ${kind.urlVariable}`);
    return givenServer(kind, url);
  }
  const installation = await kind.installation();
  if (installation !== null) {
    announce(kind, installation.found);
    return installedServer(kind, installation);
  }
  const engine = await lookForEngine();
  if (engine !== null) {
    const { name } = kind.image();
    announce(kind, `the image ${name} on the container engine`);
    return containerServer(kind, engine);
  }
  throw new Error(
    [
      `No ${kind.name} to run with. One of these helps:`,
      `  apt-get install --no-install-recommends ${kind.packages}`,
      `  a server of yours: ${kind.urlVariable}=${kind.scheme}://127.0.0.1:${kind.defaultPort}`,
      `  a container engine, with the image in ${kind.imageVariable} (default ${kind.image().name})`,
    ].join('\n'),
  );
}

const announced = new Set<string>();

function announce(kind: StoreKind, source: string): void {
  const line = `concordat servers: ${kind.name} from ${source}\n`;
  if (!announced.has(line)) process.stderr.write(line);
  announced.add(line);
}
