import { connect, type Socket } from 'node:net';
import type { Host } from '@concordat/core/spi';
import type { Credentials } from './credentials.js';
import { JuteReader, JuteWriter } from './jute.js';
import { answerToChallenge } from './sasl-digest.js';
import { sessionPassword } from './session-password.js';
import { notificationXid, ZooKeeperFrames } from './zookeeper-wire.js';

/** The server refused an operation. */
export class ZooKeeperRefusal extends Error {
  override readonly name = 'ZooKeeperRefusal';

  constructor(readonly code: number) {
    super(`ZooKeeper answered ${code}`);
  }
}

/** Reasons of a {@link ZooKeeperRefusal} that somebody asks for. */
export const zooKeeperCodes = { noNode: -101, noAuth: -102, sessionExpired: -112, mustSayWho: -124 } as const;

const sasl = 102;
const sessionTimeoutMs = 10_000;

interface Waiter {
  resolve(reply: JuteReader): void;
  reject(reason: Error): void;
}

/** One connection to ZooKeeper: no pings, answers in the order of the questions. */
export class ZooKeeperConnection {
  readonly #socket: Socket;
  readonly #waiters: Waiter[] = [];
  #xid = 0;
  #sessionId = 0n;

  constructor(host: Host, limitMs: number) {
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

  /** Opens a session, or takes one over that is not `0n`. */
  async handshake(sessionId: bigint): Promise<void> {
    const password = sessionId === 0n ? Buffer.alloc(16) : sessionPassword(sessionId);
    const request = new JuteWriter().int(0).long(0n).int(sessionTimeoutMs).long(sessionId).bytes(password).bool(false);
    const reply = await this.#send(request);
    reply.int();
    if (reply.int() <= 0) throw new ZooKeeperRefusal(zooKeeperCodes.sessionExpired);
    this.#sessionId = BigInt.asUintN(64, reply.long());
  }

  /** Says who this is, by SASL; rejects when the server does not believe it. */
  async signIn(credentials: Credentials): Promise<void> {
    const challenge = (await this.ask(this.request(sasl).bytes(Buffer.alloc(0)))).bytes();
    await this.ask(this.request(sasl).bytes(answerToChallenge(challenge, credentials)));
  }

  /** The beginning of a request; to be asked right away, because the server looks at the order. */
  request(operation: number): JuteWriter {
    this.#xid += 1;
    return new JuteWriter().int(this.#xid).int(operation);
  }

  async ask(request: JuteWriter): Promise<JuteReader> {
    const reply = await this.#send(request);
    reply.int();
    reply.long();
    const code = reply.int();
    if (code !== 0) throw new ZooKeeperRefusal(code);
    return reply;
  }

  destroy(): void {
    this.#socket.destroy();
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
