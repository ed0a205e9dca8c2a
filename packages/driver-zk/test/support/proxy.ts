import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP way to the server that can be broken. */
export class TestProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  /** Bytes of requests and replies that arrive while these are set vanish. */
  swallowRequests = false;
  swallowReplies = false;
  accepted = 0;

  private constructor(target: number) {
    this.#server = createServer((client) => {
      this.accepted += 1;
      const server = connect(target, '127.0.0.1');
      const pair = [client, server] as const;
      this.#pairs.add(pair);
      client.on('data', (data) => {
        if (!this.swallowRequests) server.write(data);
      });
      server.on('data', (data) => {
        if (!this.swallowReplies) client.write(data);
      });
      for (const socket of pair) {
        socket.setNoDelay(true);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#pairs.delete(pair);
          for (const each of pair) each.destroy();
        });
      }
    });
  }

  static async start(target: number, host = '127.0.0.1'): Promise<TestProxy> {
    const proxy = new TestProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, host, resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Closes every connection; new ones are welcome. */
  flap(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  async close(): Promise<void> {
    this.flap();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
