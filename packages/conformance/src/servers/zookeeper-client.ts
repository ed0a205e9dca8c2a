import { connect, type Socket } from 'node:net';
import type { Host } from '@concordat/core/spi';
import { JuteReader, JuteWriter } from './jute.js';
import { sessionPassword } from './session-password.js';
import { notificationXid, ZooKeeperFrames } from './zookeeper-wire.js';

/** The server refused an operation. */
export class ZooKeeperRefusal extends Error {
  override readonly name = 'ZooKeeperRefusal';

  constructor(readonly code: number) {
    super(`ZooKeeper answered ${code}`);
  }
}

export const zooKeeperCodes = { noNode: -101, sessionExpired: -112 } as const;

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
const sessionTimeoutMs = 10_000;
const answerLimitMs = 5_000;
const anyVersion = -1;

interface Waiter {
  resolve(reply: JuteReader): void;
  reject(reason: Error): void;
}

/** A small client of ZooKeeper for operators: one connection, no pings, answers in the order of the questions. */
export class ZooKeeperClient {
  readonly #socket: Socket;
  readonly #waiters: Waiter[] = [];
  #xid = 0;
  #sessionId = 0n;

  private constructor(host: Host, limitMs: number) {
    const frames = new ZooKeeperFrames();
    this.#socket = connect({ host: host.host, port: host.port, noDelay: true });
    this.#socket.on('data', (bytes) => {
      for (const frame of frames.read(bytes)) this.#receive(frame);
    });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('ZooKeeper closed the connection')));
    this.#socket.setTimeout(limitMs, () => this.#socket.destroy(new Error('ZooKeeper did not answer')));
  }

  get sessionId(): bigint {
    return this.#sessionId;
  }

  /** Opens a session of its own. Any answer may take `limitMs`. */
  static async open(host: Host, { limitMs = answerLimitMs } = {}): Promise<ZooKeeperClient> {
    const client = new ZooKeeperClient(host, limitMs);
    await client.#handshake(0n);
    return client;
  }

  /**
   * Takes over a session and ends it, in one flight: its own client, whose connection the server closes for that, would take
   * it back before a second one.
   */
  static async endSession(host: Host, sessionId: bigint): Promise<void> {
    const client = new ZooKeeperClient(host, answerLimitMs);
    await Promise.all([client.#handshake(sessionId), client.close()]);
  }

  async create(path: string, data: Uint8Array, { ephemeral = false } = {}): Promise<void> {
    const { permissions, scheme, id } = worldMayDoAll;
    const request = this.#request(operations.create).text(path).bytes(data);
    await this.#ask(
      request
        .int(1)
        .int(permissions)
        .text(scheme)
        .text(id)
        .int(ephemeral ? 1 : 0),
    );
  }

  async delete(path: string): Promise<void> {
    await this.#ask(this.#request(operations.delete).text(path).int(anyVersion));
  }

  async setData(path: string, data: Uint8Array): Promise<void> {
    await this.#ask(this.#request(operations.setData).text(path).bytes(data).int(anyVersion));
  }

  async getChildren(path: string): Promise<string[]> {
    return (await this.#ask(this.#request(operations.getChildren).text(path).bool(false))).texts();
  }

  async getData(path: string, { watch = false } = {}): Promise<Buffer> {
    return (await this.#ask(this.#request(operations.getData).text(path).bool(watch))).bytes();
  }

  /** The transaction that created the node. */
  async created(path: string): Promise<bigint> {
    return (await this.#ask(this.#request(operations.exists).text(path).bool(false))).long();
  }

  /** Ends the session, and with it its ephemeral nodes, then the connection. */
  async close(): Promise<void> {
    try {
      await this.#ask(this.#request(operations.closeSession));
    } finally {
      this.#socket.destroy();
    }
  }

  async #handshake(sessionId: bigint): Promise<void> {
    const password = sessionId === 0n ? Buffer.alloc(16) : sessionPassword(sessionId);
    const request = new JuteWriter().int(0).long(0n).int(sessionTimeoutMs).long(sessionId).bytes(password).bool(false);
    const reply = await this.#send(request);
    reply.int();
    if (reply.int() <= 0) throw new ZooKeeperRefusal(zooKeeperCodes.sessionExpired);
    this.#sessionId = BigInt.asUintN(64, reply.long());
  }

  #request(operation: number): JuteWriter {
    this.#xid += 1;
    return new JuteWriter().int(this.#xid).int(operation);
  }

  async #ask(request: JuteWriter): Promise<JuteReader> {
    const reply = await this.#send(request);
    reply.int();
    reply.long();
    const code = reply.int();
    if (code !== 0) throw new ZooKeeperRefusal(code);
    return reply;
  }

  #send(request: JuteWriter): Promise<JuteReader> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) return reject(new Error('the connection to ZooKeeper is closed'));
      this.#waiters.push({ resolve, reject });
      this.#socket.write(request.frame());
    });
  }

  #receive(frame: Buffer): void {
    // The answer to the handshake has no number in front, and its protocol version is 0.
    if (frame.readInt32BE(0) !== notificationXid) this.#waiters.shift()?.resolve(new JuteReader(frame));
  }

  #fail(reason: Error): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(reason);
  }
}
