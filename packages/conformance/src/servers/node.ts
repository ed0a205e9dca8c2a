import type { Host } from '@concordat/core/spi';
import type { Link, Operator, ServerControl } from '../harness.js';
import { ProxyLink } from './link.js';
import type { Server } from './server.js';
import type { StoreKind } from './store-kind.js';

/** One running server with everything needed to use it, look into it and break it. */
export class StoreNode {
  readonly hosts: readonly Host[];
  /** For `createCoordinator(url)`, without a namespace. */
  readonly url: string;
  /** Breaks the server itself. */
  readonly control: ServerControl;
  readonly #kind: StoreKind;
  readonly #server: Server;
  readonly #links = new Set<Link>();

  constructor(kind: StoreKind, server: Server) {
    const { host, port } = server.host;
    this.hosts = [server.host];
    this.url = `${kind.scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
    this.control = server.control;
    this.#kind = kind;
    this.#server = server;
  }

  /**
   * Where the server answers in the clear on this machine, whatever its clients have to do: etcd's JSON gateway and client
   * port, or ZooKeeper's client port.
   */
  get door(): Host {
    return this.#server.door;
  }

  get operator(): Operator {
    return this.#kind.operator(this.#server.door);
  }

  /** A way to the server for one client, which can be broken without harm to others. */
  async link(): Promise<Link> {
    const link = await ProxyLink.open(this.#server.host, this.#kind.meter);
    this.#links.add(link);
    return link;
  }

  /** Closes every link, ends the server if it was started here, and removes its data. */
  async stop(): Promise<void> {
    await Promise.all([...this.#links].map((link) => link.close()));
    await this.#server.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
