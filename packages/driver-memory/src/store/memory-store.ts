import { type Clock, CoordinationError, systemClock } from '@concordat/core/spi';
import type { Connection } from './connection.js';
import { type Deliver, deliverSoon } from './deliver.js';
import { type Gate, MemoryLink } from './memory-link.js';
import { joinPath, nameOf } from './paths.js';
import { nothing, Service, type Snapshot } from './service.js';

/** What a store may be given; a simulation gives both. */
export interface MemoryStoreOptions {
  /** Decides when sessions expire. Default: the clock of this process. */
  readonly clock?: Clock;
  /** Decides when messages arrive. Default: each in a turn of the event loop of its own. */
  readonly deliver?: Deliver;
}

/**
 * A small coordination server in this process: sessions that it expires by its own clock, keys in one total order, watches,
 * and clients that reach it over links, asynchronously. Everything about it can be broken on purpose.
 *
 * @example
 * ```ts
 * import { MemoryStore } from '@concordat/driver-memory';
 *
 * const store = new MemoryStore();
 * const link = store.link();
 * // A coordinator with the option `storeName: link.address` reaches the store over this link.
 * link.cut();
 * link.heal();
 * store.close();
 * ```
 */
export class MemoryStore {
  static readonly #named = new Map<string, MemoryStore>();
  static readonly #links = new Map<string, MemoryLink>();
  static #lastLink = 0;

  readonly #clock: Clock;
  readonly #deliver: Deliver;
  readonly #gate: Gate;
  readonly #ownLinks = new Set<MemoryLink>();
  readonly #connections = new Set<Connection>();
  readonly #frozenWork: (() => void)[] = [];
  #service: Service;
  #lastSession = 0;
  #state: 'running' | 'frozen' | 'down' = 'running';

  constructor(options: MemoryStoreOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#deliver = options.deliver ?? deliverSoon;
    this.#service = this.#newService(nothing);
    this.#gate = {
      admit: (connection) => {
        if (this.#state === 'down') return false;
        this.#connections.add(connection);
        return true;
      },
      received: (envelope, connection) => this.#whenRunning(() => this.#service.answer(envelope, connection)),
      closed: (connection) => {
        this.#connections.delete(connection);
        const drop = (): void => this.#service.subscriptions.drop(connection);
        // Behind what it sent before: a watch that waits for the thaw must not outlive its connection.
        if (this.#state === 'frozen') this.#frozenWork.push(drop);
        else drop();
      },
    };
  }

  /** The store of this process by that name, made with `options` on first use; the empty name is one too. */
  static named(name: string, options: MemoryStoreOptions = {}): MemoryStore {
    const known = MemoryStore.#named.get(name);
    if (known !== undefined) return known;
    const store = new MemoryStore(options);
    MemoryStore.#named.set(name, store);
    return store;
  }

  /**
   * The link with that address, or else a new link to the store of that name, made with `options` on first use.
   *
   * @internal
   */
  static linkTo(storeName: string, options: MemoryStoreOptions = {}): MemoryLink {
    const known = MemoryStore.#links.get(storeName);
    if (known !== undefined) return known;
    if (storeName.includes('#')) throw new CoordinationError('INVALID_ARGUMENT', `there is no link ${storeName}`);
    return MemoryStore.named(storeName, options).#newLink(storeName);
  }

  // Clients -----------------------------------------------------------------------------------------------------------

  /** A new way to this store, for one client; its `address` leads there until the store is closed. */
  link(options: { readonly deliver?: Deliver } = {}): MemoryLink {
    const link = this.#newLink(`#${++MemoryStore.#lastLink}`, options.deliver);
    MemoryStore.#links.set(link.address, link);
    this.#ownLinks.add(link);
    return link;
  }

  /** Takes back a link: its connections are cut, and its address leads nowhere. */
  unlink(link: MemoryLink): void {
    link.cut();
    this.#ownLinks.delete(link);
    MemoryStore.#links.delete(link.address);
  }

  /** Cuts every client off for good and stops every timer. */
  close(): void {
    this.kill();
    for (const link of this.#ownLinks) this.unlink(link);
    for (const [name, store] of MemoryStore.#named) if (store === this) MemoryStore.#named.delete(name);
  }

  // Somebody with direct access ---------------------------------------------------------------------------------------

  /** How many changes there were. */
  get revision(): bigint {
    return this.#service.keys.revision;
  }

  /** Ids of the sessions there are, oldest first. */
  get sessions(): readonly string[] {
    return this.#service.sessions.ids;
  }

  /** Every key, sorted. */
  get keys(): readonly string[] {
    return this.#service.keys.keys();
  }

  /** Names of the direct children of a directory, oldest first. */
  entries(dir: string): readonly string[] {
    return this.#service.keys.inDirectory(dir).map(({ key }) => nameOf(key));
  }

  /** Writes a persistent register by hand. */
  write(key: string, value: Uint8Array): void {
    this.#whenRunning(() => this.#service.keys.set(key, new Uint8Array(value), null));
  }

  /** Deletes an entry, or any key, by hand. */
  deleteEntry(dir: string, name: string): void {
    this.#whenRunning(() => this.#service.keys.remove(joinPath(dir, name)));
  }

  /** Ends a session, as its expiry would. */
  expireSession(id: string): void {
    this.#whenRunning(() => this.#service.sessions.end(id));
  }

  // Faults ------------------------------------------------------------------------------------------------------------

  /** Stops it in its tracks: connections stand, new ones are accepted, nothing is answered, nothing expires. */
  freeze(): void {
    if (this.#state === 'running') this.#state = 'frozen';
  }

  /** Ends {@link MemoryStore.freeze}: sessions whose time ran out are ended first, then what had arrived is answered. */
  thaw(): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'running';
    this.#service.sessions.expireDue();
    for (const work of this.#frozenWork.splice(0)) work();
  }

  /** Ends it hard: every connection is cut and none accepted, what had arrived is gone; data and sessions are kept. */
  kill(): void {
    this.#state = 'down';
    this.#frozenWork.length = 0;
    for (const connection of [...this.#connections]) connection.close();
    this.#service.sessions.stop();
  }

  /** Starts it again after {@link MemoryStore.kill}; every session has its whole timeout from now on. */
  start(): void {
    if (this.#state !== 'down') return;
    this.#state = 'running';
    this.#service.sessions.renewAll();
  }

  /** Kills it, throws data, sessions and revision away, and starts it again. */
  wipe(): void {
    this.#replace(nothing);
  }

  /** Copies data, sessions and revision; what it returns kills the store, puts them back, and starts it again. */
  backUp(): () => void {
    const { snapshot } = this.#service;
    return () => this.#replace(snapshot);
  }

  // -------------------------------------------------------------------------------------------------------------------

  #newLink(address: string, deliver = this.#deliver): MemoryLink {
    return new MemoryLink(address, this.#gate, deliver);
  }

  #replace(from: Snapshot): void {
    this.kill();
    this.#service = this.#newService(from);
    this.start();
  }

  #newService(from: Snapshot): Service {
    return new Service({
      from,
      clock: this.#clock,
      running: () => this.#state === 'running',
      // Goes on over a wipe and a restore: a stale client must never take somebody else's session for its own.
      nameSession: () => (++this.#lastSession).toString(16).padStart(16, '0'),
    });
  }

  #whenRunning(work: () => void): void {
    if (this.#state === 'running') work();
    else if (this.#state === 'frozen') this.#frozenWork.push(work);
    else throw new CoordinationError('UNAVAILABLE', 'the store is down');
  }
}
