import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Address } from '../../../src/connection.js';

/** What a peer does with one connection; `asked` gathers the requests that come, without their lengths. */
export type Behaviour = (socket: Socket, requests: Requests) => void;

/** The requests of one connection as they come, the greeting first. */
export class Requests {
  #bytes: Buffer = Buffer.alloc(0);
  #listener: (request: Buffer, index: number) => void = () => undefined;
  #count = 0;

  /** The one listener. */
  on(listener: (request: Buffer, index: number) => void): void {
    this.#listener = listener;
  }

  take(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    while (this.#bytes.length >= 4 && this.#bytes.length >= 4 + this.#bytes.readInt32BE(0)) {
      const end = 4 + this.#bytes.readInt32BE(0);
      const request = this.#bytes.subarray(4, end);
      this.#bytes = this.#bytes.subarray(end);
      this.#listener(request, this.#count);
      this.#count += 1;
    }
  }
}

/** Somebody on a port who may say anything. */
export class HostilePeer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(behave: Behaviour) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
      const requests = new Requests();
      behave(socket, requests);
      socket.on('data', (bytes) => requests.take(bytes));
    });
  }

  static async start(behave: Behaviour): Promise<HostilePeer> {
    const peer = new HostilePeer(behave);
    await once(peer.#server.listen(0, '127.0.0.1'), 'listening');
    return peer;
  }

  get address(): Address {
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return { name: '127.0.0.1', host: '127.0.0.1', port };
  }

  /** Connections that nobody has closed. */
  get open(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
