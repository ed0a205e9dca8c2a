import type { ClientEnd, Connection, MemoryLink, MemoryStore } from '@concordat/driver-memory';

type Message = Parameters<ClientEnd['received']>[0];
type Stored = NonNullable<Extract<Message, { type: 'changed' }>['stored']>;

/** One entry or register as the store has it. */
export interface Fact {
  readonly name: string;
  readonly value: Uint8Array;
  readonly version: bigint;
  readonly created: bigint;
  readonly owner: string | null;
}

/** What was created once, and when it went, in milliseconds of virtual time; infinity while it is there. */
export interface Past extends Fact {
  readonly goneMs: number;
}

/** One change that the store applied; `fact` is `null` for a removal. */
export interface Change {
  readonly dir: string;
  readonly name: string;
  readonly fact: Fact | null;
  readonly before: Fact | null;
  /** Milliseconds of virtual time. */
  readonly atMs: number;
}

/** How a directory stood, as far as it was followed. */
class Directory {
  readonly present = new Map<string, Fact>();
  /** Everything that was ever here, by its creation. */
  readonly ever = new Map<bigint, Past>();
}

/**
 * What is really in the store, in the turn in which it changes: the order that every check goes by. A link without delay, which no fault
 * touches but a restart of the store.
 */
export class StoreTruth {
  readonly #link: MemoryLink;
  readonly #now: () => number;
  readonly #prefix: string;
  readonly #dirs = new Map<string, Directory>();
  readonly #watched: string[] = [];
  /** Every line that is followed. */
  readonly lines: string[] = [];
  readonly #listeners: ((change: Change) => void)[] = [];
  /** By its creation: a name is given again. */
  readonly #removedByHand = new Set<bigint>();
  readonly #endedByHand = new Set<string>();
  #connection: Connection | null = null;
  #request = 0;

  constructor(store: MemoryStore, namespace: string, now: () => number) {
    this.#link = store.link({ deliver: (callback) => queueMicrotask(callback) });
    this.#prefix = `${namespace}/`;
    this.#now = now;
  }

  /** Follows a directory from {@link StoreTruth.connect} on; an operator may delete what stands in a line. */
  follow(dir: string, of: 'line' | 'registers' | 'sessions'): void {
    if (this.#dirs.has(dir)) return;
    this.#dirs.set(dir, new Directory());
    this.#watched.push(dir);
    if (of === 'line') this.lines.push(dir);
  }

  /** Begins, and goes on after a restart of the store: nothing changes while that is down. */
  connect(): void {
    const connection = this.#link.connect({
      opened: () => this.#watch(connection),
      received: (message) => this.#received(message),
      closed: () => undefined,
    });
    this.#connection = connection;
  }

  close(): void {
    this.#connection?.hangUp();
  }

  onChange(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  /** What stands in a directory, oldest first. */
  present(dir: string): readonly Fact[] {
    return [...this.#dir(dir).present.values()];
  }

  get(dir: string, name: string): Fact | null {
    return this.#dir(dir).present.get(name) ?? null;
  }

  /** What was created at that moment of the store's order, there or gone. */
  created(dir: string, at: bigint): Past | null {
    return this.#dir(dir).ever.get(at) ?? null;
  }

  /** Everything that was there at some moment since then. */
  since(dir: string, sinceMs: number): readonly Past[] {
    return [...this.#dir(dir).ever.values()].filter(({ goneMs }) => goneMs >= sinceMs);
  }

  /** An operator removes an entry. */
  removeByHand({ created }: Fact): void {
    this.#removedByHand.add(created);
  }

  /** An operator ends a session. */
  endByHand(session: string): void {
    this.#endedByHand.add(session);
  }

  wasRemovedByHand({ created }: Fact): boolean {
    return this.#removedByHand.has(created);
  }

  wasEndedByHand(session: string): boolean {
    return this.#endedByHand.has(session);
  }

  /** Whether an operator removed it, or ended its session: who owned it learns of that later than others may. */
  wasByHand({ created, owner }: Fact): boolean {
    return this.#removedByHand.has(created) || (owner !== null && this.#endedByHand.has(owner));
  }

  #watch(connection: Connection): void {
    for (const [watch, dir] of this.#watched.entries()) {
      const target = { of: 'directory', path: this.#prefix + dir } as const;
      connection.send({ id: ++this.#request, operation: 'watch', request: { watch, target } });
    }
  }

  // The replies show what was there before: nothing, or what the store kept over its restart.
  #received(message: Message): void {
    if (message.type !== 'changed') return;
    const dir = this.#watched[message.watch];
    if (dir === undefined) return;
    this.#changed(dir, message.key.slice(this.#prefix.length + dir.length + 1), message.stored);
  }

  #changed(dir: string, name: string, stored: Stored | null): void {
    const directory = this.#dir(dir);
    const before = directory.present.get(name) ?? null;
    const fact = stored === null ? null : factOf(name, stored);
    if (fact !== null) {
      directory.present.set(name, fact);
      directory.ever.set(fact.created, { ...fact, goneMs: Number.POSITIVE_INFINITY });
    } else if (before !== null) {
      directory.present.delete(name);
      directory.ever.set(before.created, { ...before, goneMs: this.#now() });
    }
    const change = { dir, name, fact, before, atMs: this.#now() };
    for (const listener of this.#listeners) listener(change);
  }

  #dir(dir: string): Directory {
    const known = this.#dirs.get(dir);
    if (known === undefined) throw new Error(`nobody follows ${dir}`);
    return known;
  }
}

function factOf(name: string, { value, version, created, owner }: Stored): Fact {
  return { name, value, version, created, owner };
}
