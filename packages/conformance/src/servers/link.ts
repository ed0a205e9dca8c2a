import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { Host } from '@concordat/core/spi';
import type { Link, WireCounts } from '../harness.js';
import { type Fault, LinkConnection } from './link-connection.js';
import { freePort } from './ports.js';
import type { WireMeterMaker, WireTally } from './wire.js';

const openAttempts = 3;
const againMs = 50;

/**
 * A TCP proxy in this process, in front of one server, that can be broken.
 *
 * It lives on the event loop of the test: while a test blocks that loop, the link is silent in both directions, as it is
 * for a client that was stopped.
 */
export class ProxyLink implements Link {
  readonly options: { readonly hosts: readonly [string] };
  readonly #server: Host;
  readonly #port: number;
  readonly #meterMaker: WireMeterMaker;
  readonly #connections = new Set<LinkConnection>();
  readonly #tally: WireTally = { requests: 0, writes: 0, notifications: 0 };
  #listener: Server | null = null;
  #fault: Fault = 'none';

  private constructor(server: Host, port: number, meterMaker: WireMeterMaker) {
    this.#server = server;
    this.#port = port;
    this.#meterMaker = meterMaker;
    this.options = { hosts: [`127.0.0.1:${port}`] };
  }

  static async open(server: Host, meterMaker: WireMeterMaker): Promise<ProxyLink> {
    for (let left = openAttempts; ; left -= 1) {
      const link = new ProxyLink(server, await freePort(), meterMaker);
      try {
        await once(link.#listen(), 'listening');
        return link;
      } catch (error) {
        // Somebody else was given the same port meanwhile.
        await link.close();
        if (left === 1) throw error;
      }
    }
  }

  /** Counts so far; a copy, to be compared with a later one. */
  get wire(): WireCounts {
    return { ...this.#tally };
  }

  cut(): void {
    this.#fault = 'cut';
    this.#listener?.close();
    this.#listener = null;
    this.flap();
  }

  flap(): void {
    for (const connection of this.#connections) connection.break();
  }

  blackhole(): void {
    this.#break('blackhole');
  }

  swallowReplies(): void {
    this.#break('swallow');
  }

  holdRequests(): void {
    this.#break('hold');
  }

  async deliverHeld(): Promise<void> {
    const old = [...this.#connections];
    this.#fault = 'none';
    await Promise.all(old.map((connection) => connection.deliver()));
  }

  heal(): void {
    this.#fault = 'none';
    for (const connection of this.#connections) connection.heal();
    if (this.#listener === null) this.#listen();
  }

  async close(): Promise<void> {
    const listener = this.#listener;
    this.cut();
    if (listener !== null) await once(listener, 'close');
  }

  #break(fault: Fault): void {
    if (this.#fault === 'cut') throw new Error('this link is cut: heal it before another fault');
    this.#fault = fault;
  }

  #listen(): Server {
    const listener = createServer({ noDelay: true }, (client) => {
      // Accepted by the kernel before the cut, handed over after it.
      if (this.#fault === 'cut') {
        client.destroy();
        return;
      }
      const connection = new LinkConnection(client, this.#server, this.#meterMaker(this.#tally), () => this.#fault);
      this.#connections.add(connection);
      for (const known of this.#connections) if (known.over) this.#connections.delete(known);
    });
    // While it was cut its port was free to everybody: it is taken back as soon as it is free again.
    listener.on('error', () => {
      if (this.#listener === listener) setTimeout(() => this.#listenAgain(listener), againMs);
    });
    this.#listener = listener;
    return listener.listen(this.#port, '127.0.0.1');
  }

  #listenAgain(listener: Server): void {
    if (this.#listener === listener) listener.listen(this.#port, '127.0.0.1');
  }
}
