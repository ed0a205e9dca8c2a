import { etcdInstallation, etcdKind, etcdOperatedBy } from './etcd-kind.js';
import type { EtcdSettings } from './etcd-settings.js';
import { type InstalledServer, installedServer } from './installed-server.js';
import { StoreNode } from './node.js';
import type { Installation, StoreKind } from './store-kind.js';
import { zooKeeperInstallation } from './zookeeper-installation.js';
import { zooKeeperKind, zooKeeperOperatedBy } from './zookeeper-kind.js';
import type { ZooKeeperSettings } from './zookeeper-settings.js';

type Install<Settings> = (settings: Settings) => Promise<Installation | null>;

/** A running server with settings of the test's own. */
export class SecureNode<Settings> extends StoreNode {
  readonly #server: InstalledServer;
  readonly #prepare: (settings: Settings) => Promise<Installation>;

  constructor(kind: StoreKind, server: InstalledServer, prepare: (settings: Settings) => Promise<Installation>) {
    super(kind, server);
    this.#server = server;
    this.#prepare = prepare;
  }

  /**
   * Kills it and starts it with these settings in place of the old ones, on the same address with the same data: other
   * certificates, other users, in the clear. {@link StoreNode.url} and the operator stay what they were.
   */
  async restart(settings: Settings): Promise<void> {
    await this.#server.restart(await this.#prepare(settings));
  }
}

/**
 * Starts one etcd with these settings. Only an installed program can be told them: a server given by its URL and container
 * images are not used.
 *
 * Rejects with the remedy when none is installed; never skips.
 */
export function startSecureEtcd(settings: EtcdSettings): Promise<SecureNode<EtcdSettings>> {
  const kind = settings.operator === undefined ? etcdKind : etcdOperatedBy(settings.operator);
  return start(kind, etcdInstallation, settings);
}

/** The same for ZooKeeper. */
export function startSecureZooKeeper(settings: ZooKeeperSettings): Promise<SecureNode<ZooKeeperSettings>> {
  const kind = settings.operator === undefined ? zooKeeperKind : zooKeeperOperatedBy(settings.operator);
  return start(kind, zooKeeperInstallation, settings);
}

async function start<Settings extends { readonly tls?: unknown }>(
  base: StoreKind,
  install: Install<Settings>,
  settings: Settings,
): Promise<SecureNode<Settings>> {
  const kind = settings.tls === undefined ? base : { ...base, scheme: `${base.scheme}s` };
  const prepare = async (wanted: Settings): Promise<Installation> => {
    const installation = await install(wanted);
    if (installation !== null) return installation;
    throw new Error(
      `No ${kind.name} on this machine to be told settings: apt-get install --no-install-recommends ${kind.packages}`,
    );
  };
  return new SecureNode(kind, await installedServer(kind, await prepare(settings)), prepare);
}
