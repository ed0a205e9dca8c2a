import type { Host } from '@concordat/core/spi';
import type { Credentials } from './credentials.js';
import { ZooKeeperConnection } from './zookeeper-connection.js';

const operations = {
  create: 1,
  delete: 2,
  exists: 3,
  getData: 4,
  setData: 5,
  getChildren: 8,
  closeSession: -11,
} as const;
const worldMayDoAll = { permissions: 31, scheme: 'world', id: 'anyone' } as const;
const answerLimitMs = 5_000;
const anyVersion = -1;

/** What a {@link ZooKeeperClient} can be told. */
export interface ZooKeeperClientOptions {
  /** How long any answer may take, in milliseconds. Default 5,000. */
  readonly limitMs?: number;
  /** Who to be, by SASL; without, nobody in particular. */
  readonly credentials?: Credentials | undefined;
}

/** A small client of ZooKeeper for operators. */
export class ZooKeeperClient {
  readonly #connection: ZooKeeperConnection;

  private constructor(host: Host, limitMs: number) {
    this.#connection = new ZooKeeperConnection(host, limitMs);
  }

  get sessionId(): bigint {
    return this.#connection.sessionId;
  }

  /** Opens a session of its own. */
  static async open(host: Host, options: ZooKeeperClientOptions = {}): Promise<ZooKeeperClient> {
    const { limitMs = answerLimitMs, credentials } = options;
    const client = new ZooKeeperClient(host, limitMs);
    await client.#connection.handshake(0n);
    if (credentials !== undefined) await client.#connection.signIn(credentials);
    return client;
  }

  /**
   * Takes over a session and ends it, in one flight: its own client, whose connection the server closes for that, would take
   * it back before a second one. Who has to say first who it is needs more than one.
   */
  static async endSession(host: Host, sessionId: bigint, credentials?: Credentials): Promise<void> {
    const client = new ZooKeeperClient(host, answerLimitMs);
    const end = async (): Promise<void> => {
      if (credentials !== undefined) await client.#connection.signIn(credentials);
      await client.close();
    };
    try {
      await Promise.all([client.#connection.handshake(sessionId), end()]);
    } finally {
      client.#connection.destroy();
    }
  }

  async create(path: string, data: Uint8Array, { ephemeral = false } = {}): Promise<void> {
    const { permissions, scheme, id } = worldMayDoAll;
    const request = this.#connection.request(operations.create).text(path).bytes(data);
    await this.#connection.ask(
      request
        .int(1)
        .int(permissions)
        .text(scheme)
        .text(id)
        .int(ephemeral ? 1 : 0),
    );
  }

  async delete(path: string): Promise<void> {
    await this.#connection.ask(this.#connection.request(operations.delete).text(path).int(anyVersion));
  }

  async setData(path: string, data: Uint8Array): Promise<void> {
    await this.#connection.ask(this.#connection.request(operations.setData).text(path).bytes(data).int(anyVersion));
  }

  async getChildren(path: string): Promise<string[]> {
    const request = this.#connection.request(operations.getChildren).text(path).bool(false);
    return (await this.#connection.ask(request)).texts();
  }

  async getData(path: string, { watch = false } = {}): Promise<Buffer> {
    const request = this.#connection.request(operations.getData).text(path).bool(watch);
    return (await this.#connection.ask(request)).bytes();
  }

  /** The transaction that created the node. */
  async created(path: string): Promise<bigint> {
    const request = this.#connection.request(operations.exists).text(path).bool(false);
    return (await this.#connection.ask(request)).long();
  }

  /** Ends the session, and with it its ephemeral nodes, then the connection. */
  async close(): Promise<void> {
    try {
      await this.#connection.ask(this.#connection.request(operations.closeSession));
    } finally {
      this.#connection.destroy();
    }
  }
}
