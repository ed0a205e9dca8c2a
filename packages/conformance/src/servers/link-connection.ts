import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '@concordat/core/spi';
import { until } from './until.js';
import type { WireMeter } from './wire.js';

/** What is wrong with a link. */
export type Fault = 'none' | 'cut' | 'blackhole' | 'swallow' | 'hold';

/** Bytes kept back, or `null` for the end of the client's side, and when they came. */
interface Held {
  readonly bytes: Buffer | null;
  readonly at: number;
}

const longestGapMs = 100;
const quietMs = 200;
const patienceMs = 2_000;

/** One connection of a client through a link: two sockets, and what the link's fault does between them. */
export class LinkConnection {
  readonly #client: Socket;
  readonly #server: Socket | null;
  readonly #meter: WireMeter;
  readonly #fault: () => Fault;
  readonly #held: Held[] = [];
  #spoilt = false;
  #detached = false;
  #lastReply = 0;

  constructor(client: Socket, server: Host, meter: WireMeter, fault: () => Fault) {
    this.#client = client;
    this.#meter = meter;
    this.#fault = fault;
    client.on('data', (bytes) => this.#fromClient(bytes));
    client.on('close', () => this.#clientGone());
    client.on('error', () => undefined);
    this.#server = fault() === 'blackhole' ? null : connect({ host: server.host, port: server.port, noDelay: true });
    this.#spoilt = this.#server === null;
    this.#server?.on('data', (bytes) => this.#fromServer(bytes));
    this.#server?.on('close', () => this.#serverGone());
    this.#server?.on('error', () => undefined);
  }

  get over(): boolean {
    return this.#client.destroyed && (this.#server?.destroyed ?? true);
  }

  /** Ends both sides at once. */
  break(): void {
    this.#client.destroy();
    this.#server?.destroy();
  }

  /** After a fault: goes on where nothing was swallowed, and breaks otherwise. */
  heal(): void {
    if (this.#spoilt) this.break();
    else for (const { bytes } of this.#held.splice(0)) this.#send(bytes);
  }

  /**
   * Ends the client's side, then delivers what was held in the rhythm in which it came, gaps shortened. So a request is
   * applied before the cancellation that the client sent after it, as on a slow network. Resolves when the server has been
   * quiet for a while, at most two seconds later.
   */
  async deliver(): Promise<void> {
    const held = this.#held.splice(0);
    this.#detached = true;
    this.#client.destroy();
    let previous = held[0]?.at ?? 0;
    for (const { bytes, at } of held) {
      await delay(Math.min(at - previous, longestGapMs));
      previous = at;
      this.#send(bytes);
    }
    const delivered = performance.now();
    const isQuiet = (): boolean => performance.now() - Math.max(delivered, this.#lastReply) >= quietMs;
    const isDone = async (): Promise<true | undefined> =>
      this.#server?.destroyed !== false || isQuiet() ? true : undefined;
    // Past its patience it is over all the same.
    await until('the server is quiet', patienceMs, isDone).catch(() => undefined);
    this.#server?.destroySoon();
  }

  #fromClient(bytes: Buffer): void {
    const fault = this.#fault();
    if (fault === 'hold') this.#held.push({ bytes, at: performance.now() });
    else if (fault === 'blackhole') this.#spoilt = true;
    else {
      // Its reply has to be lost even if the link is healed before it comes.
      if (fault === 'swallow') this.#spoilt = true;
      this.#send(bytes);
    }
  }

  #fromServer(bytes: Buffer): void {
    this.#lastReply = performance.now();
    if (this.#swallowsReplies()) this.#spoilt = true;
    else if (!this.#client.destroyed) {
      this.#meter.fromServer(bytes);
      pass(bytes, this.#server, this.#client);
    }
  }

  #send(bytes: Buffer | null): void {
    if (this.#server === null || this.#server.destroyed) return;
    if (bytes === null) this.#server.destroySoon();
    else {
      this.#meter.fromClient(bytes);
      pass(bytes, this.#client, this.#server);
    }
  }

  // The end of a connection is a message too, and shares the fate of the bytes.
  #clientGone(): void {
    if (this.#detached) return;
    const fault = this.#fault();
    if (fault === 'hold') this.#held.push({ bytes: null, at: performance.now() });
    else if (fault === 'blackhole') this.#spoilt = true;
    else this.#send(null);
  }

  #serverGone(): void {
    if (this.#swallowsReplies()) this.#spoilt = true;
    else this.#client.destroySoon();
  }

  #swallowsReplies(): boolean {
    return this.#fault() === 'blackhole' || this.#fault() === 'swallow';
  }
}

function pass(bytes: Buffer, from: Socket | null, to: Socket): void {
  if (to.write(bytes) || from === null || from.isPaused()) return;
  from.pause();
  to.once('drain', () => from.resume());
}
