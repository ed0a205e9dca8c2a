import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Host } from '@concordat/core/spi';
import { freePort } from '../ports.js';
import type { Opening } from './flow.js';
import type { Network, Party } from './network.js';
import { Pipe } from './pipe.js';

/** What a {@link Door} is for. */
export interface DoorOptions {
  readonly network: Network;
  /** Whose door it is, and where the connections go. */
  readonly to: Party;
  readonly host: Host;
  /** Who is coming; nobody known is turned away. */
  readonly from: (socket: Socket) => Party | null;
  /** What each connection begins with is passed through this. */
  readonly opening?: () => Opening;
  /** For how long a host that refuses a connection is asked again, in milliseconds. Default: it is not. */
  readonly patienceMs?: number;
}

/** A port of 127.0.0.1 in front of a party, at which the network's rules are kept. It lives on this process's event loop. */
export class Door {
  readonly host: Host;
  readonly #listener: Server;
  readonly #pipes = new Set<Pipe>();

  private constructor(options: DoorOptions, port: number) {
    this.host = { host: '127.0.0.1', port };
    this.#listener = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => this.#admit(options, socket));
  }

  static async open(options: DoorOptions): Promise<Door> {
    const door = new Door(options, await freePort());
    await once(door.#listener.listen(door.host.port, door.host.host), 'listening');
    return door;
  }

  /** Connections that are open right now. */
  get connections(): number {
    for (const pipe of this.#pipes) if (pipe.over) this.#pipes.delete(pipe);
    return this.#pipes.size;
  }

  /** Whether an open connection lost something. */
  get lost(): boolean {
    return [...this.#pipes].some((pipe) => !pipe.over && pipe.lost);
  }

  /** Closes every connection once; new ones are welcome. */
  flap(): void {
    for (const pipe of this.#pipes) pipe.break();
  }

  async close(): Promise<void> {
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    this.flap();
    await closed;
  }

  #admit({ network, to, host, from, opening, patienceMs = 0 }: DoorOptions, socket: Socket): void {
    const party = from(socket);
    if (party === null) {
      socket.destroy();
      return;
    }
    const rules = network.between(party, to);
    const pipe = new Pipe(socket, { host, rules, opening: opening?.() ?? null, patienceMs });
    this.#pipes.add(pipe);
    network.add(pipe);
  }
}
