import type { Host } from '@concordat/core/spi';
import type { Door } from './door.js';
import type { ClusterMember } from './member.js';
import type { Network, Party } from './network.js';

/** The way of one client, or of one process of clients, to every member of a cluster; breaking it harms nobody else. */
export class Route implements Party {
  readonly name: string;
  /** Options that lead a coordinator over this route. */
  readonly options: { readonly hosts: readonly Host[] };
  readonly #network: Network;
  readonly #doors: ReadonlyMap<ClusterMember, Door>;

  constructor(name: string, network: Network, doors: ReadonlyMap<ClusterMember, Door>) {
    this.name = name;
    this.#network = network;
    this.#doors = doors;
    this.options = { hosts: [...doors.values()].map(({ host }) => host) };
  }

  /** The members that it is connected to right now. */
  get inUse(): readonly ClusterMember[] {
    return [...this.#doors].filter(([, door]) => door.connections > 0).map(([member]) => member);
  }

  /** Whether a connection lost something, so that {@link Route.heal} will close it. */
  get lost(): boolean {
    return [...this.#doors.values()].some((door) => door.lost);
  }

  /** The address of one member on this route, for a client that is to know no other. */
  hostOf(member: ClusterMember): Host {
    const door = this.#doors.get(member);
    if (door === undefined) throw new Error(`${member.name} is of another cluster`);
    return door.host;
  }

  /** Nothing gets through in either direction until {@link Route.heal}; connections seem to stand. */
  cut(): void {
    this.#each({ mode: 'hold' }, { mode: 'hold' });
  }

  /** Requests arrive, replies are lost; connections that lost some are closed by {@link Route.heal}. */
  loseReplies(): void {
    this.#each({ mode: 'pass' }, { mode: 'lose' });
  }

  /** Every byte takes this much longer, in milliseconds, in both directions. */
  delay(delayMs: number): void {
    this.#each({ delayMs }, { delayMs });
  }

  /** Closes every connection once; new ones are welcome. */
  flap(): void {
    for (const door of this.#doors.values()) door.flap();
  }

  /** Ends every fault of this route. */
  heal(): void {
    const none = { mode: 'pass', delayMs: 0 } as const;
    this.#each(none, none);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#doors.values()].map((door) => door.close()));
  }

  #each(there: Parameters<Network['set']>[2], back: Parameters<Network['set']>[2]): void {
    for (const member of this.#doors.keys()) {
      this.#network.set(this, member, there);
      this.#network.set(member, this, back);
    }
  }
}
