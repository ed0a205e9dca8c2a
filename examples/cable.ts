import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Host } from '@concordat/core/spi';
import { MemoryStore } from '@concordat/driver-memory';
import type { CoordinatorOptions } from 'concordat';

/**
 * The way of one contender to the store.
 *
 * When it falls silent nothing gets through in either direction and nobody is told: the store cannot know whether the machine at
 * the other end died or only paused, and neither could you.
 */
export interface Cable {
  /** Leads a coordinator over this cable. */
  readonly options: Pick<CoordinatorOptions, 'hosts' | 'storeName'>;
  fallSilent(): void;
  comeBack(): void;
  close(): void;
}

/** A cable to servers on the network, or to a store in this process. */
export async function layCable(to: Pick<CoordinatorOptions, 'hosts' | 'storeName'>): Promise<Cable> {
  return to.hosts === undefined ? memoryCable(to.storeName ?? '') : TcpCable.lay(to.hosts);
}

function memoryCable(storeName: string): Cable {
  const store = MemoryStore.named(storeName);
  const link = store.link();
  return {
    options: { storeName: link.address },
    fallSilent: () => link.blackhole(),
    comeBack: () => link.heal(),
    close: () => store.unlink(link),
  };
}

class TcpCable implements Cable {
  readonly options: { readonly hosts: readonly [Host] };
  readonly #listener: Server;
  readonly #hosts: readonly Host[];
  readonly #sockets = new Set<Socket>();
  #silent = false;
  #dialled = 0;

  private constructor(listener: Server, hosts: readonly Host[]) {
    const address = listener.address();
    if (address === null || typeof address === 'string') throw new Error('the cable has no port');
    this.options = { hosts: [{ host: '127.0.0.1', port: address.port }] };
    this.#listener = listener.on('connection', (client) => this.#join(client));
    this.#hosts = hosts;
  }

  static async lay(hosts: NonNullable<CoordinatorOptions['hosts']>): Promise<TcpCable> {
    const addresses = hosts.filter((host) => typeof host !== 'string');
    const listener = createServer({ noDelay: true }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new TcpCable(listener, addresses);
  }

  fallSilent(): void {
    this.#silent = true;
  }

  comeBack(): void {
    this.#silent = false;
    this.#dropAll();
  }

  close(): void {
    this.#listener.close();
    this.#dropAll();
  }

  #join(client: Socket): void {
    const host = this.#hosts[this.#dialled++ % this.#hosts.length];
    this.#sockets.add(client);
    if (host === undefined) return;
    const server = connect({ ...host, noDelay: true });
    this.#sockets.add(server);
    this.#pass(client, server);
    this.#pass(server, client);
  }

  #pass(from: Socket, to: Socket): void {
    from.on('data', (chunk: Buffer) => {
      if (!this.#silent) to.write(chunk);
    });
    from.on('error', () => from.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      if (!this.#silent) to.destroy();
    });
  }

  #dropAll(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }
}
