import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Requests } from './hostile-peer.js';

// Length, version, timeout, id, password behind its length, read-only.
const welcomeBytes = 41;

/** A way to the server that knows the protocol: breaks connections after the greeting, and loses requests of a kind. */
export class FrameProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  /** Bytes of replies that get through on each connection, behind the welcome; the others vanish. */
  audible = Number.POSITIVE_INFINITY;
  /** Which requests vanish; the greeting never does. */
  loses: (request: Buffer) => boolean = () => false;
  accepted = 0;
  #held: (() => void)[] | null = null;

  private constructor(target: number) {
    this.#server = createServer((client) => {
      this.accepted += 1;
      const server = connect(target, '127.0.0.1');
      this.#pair(client, server);
      const requests = new Requests();
      requests.on((request, index) => {
        if (index > 0 && this.loses(request)) return;
        const length = Buffer.alloc(4);
        length.writeInt32BE(request.length);
        server.write(Buffer.concat([length, request]));
      });
      client.on('data', (bytes) => requests.take(bytes));
      let heard = 0;
      server.on('data', (bytes) => {
        const part = bytes.subarray(0, Math.max(0, welcomeBytes + this.audible - heard));
        heard += bytes.length;
        this.#hand(client, part);
      });
    });
  }

  static async start(target: number): Promise<FrameProxy> {
    const proxy = new FrameProxy(target);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Keeps replies until they are let go. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const hand of held) hand();
  }

  /** Closes every connection; new ones are welcome. */
  flap(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  async close(): Promise<void> {
    this.flap();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #hand(client: Socket, part: Buffer): void {
    const hand = (): void => void client.write(part);
    if (this.#held === null) hand();
    else this.#held.push(hand);
  }

  #pair(...pair: readonly [Socket, Socket]): void {
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
  }
}
