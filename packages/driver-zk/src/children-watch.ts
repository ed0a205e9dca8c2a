import type { Child, Clock, Register } from '@concordat/core/spi';
import type { Failure, Node } from './connection.js';
import { childOf } from './keys.js';
import { LevelRead, readExisting, readNames } from './level-read.js';
import { kindOf, placed, sequenceOrder } from './names.js';
import type { PathTable } from './path-table.js';
import { toRegister } from './register-codec.js';

/** What a watch of a directory needs. */
export interface ChildrenWatchOptions {
  readonly table: PathTable;
  readonly clock: Clock;
  readonly path: string;
  readonly data: boolean;
  next(children: readonly Child[]): void;
  fail(failure: Failure, path: string): void;
}

interface Member {
  readonly read: LevelRead<unknown> | null;
  /** False once it was told to be gone, though the list, which is on its way, still has it. */
  there: boolean;
  register: Register | null;
}

/**
 * The children of one directory: one watch for the list and, with data, one for each child. A change is read where it
 * happened. Snapshots go out once per tick, when every listed child was read and is there: one that is gone waits for the list without it, which may
 * have others who came before that. Otherwise a line that was never empty might look so.
 */
export class ChildrenWatch {
  readonly #options: ChildrenWatchOptions;
  readonly #members = new Map<string, Member>();
  readonly #list: LevelRead<readonly string[] | null>;
  readonly #unsettled = new Set<Member>();
  #scheduled = false;
  #stopped = false;
  #last: string | null = null;

  constructor(options: ChildrenWatchOptions) {
    const { table, clock, path } = options;
    this.#options = options;
    this.#list = new LevelRead({
      table,
      clock,
      kind: 'children',
      path,
      read: (connection) => readNames(connection, path),
      deliver: (names) => this.#listed(names ?? []),
      fail: (failure) => options.fail(failure, path),
    });
  }

  start(): void {
    this.#list.start();
  }

  stop(): void {
    this.#stopped = true;
    this.#list.stop();
    for (const { read } of this.#members.values()) read?.stop();
  }

  #listed(names: readonly string[]): void {
    const listed = new Set(names);
    for (const [name, member] of this.#members) if (!listed.has(name)) this.#drop(name, member);
    for (const name of listed) {
      const member = this.#members.get(name);
      if (member === undefined) this.#follow(name);
      // Gone when it was read, and here again.
      else if (!member.there) member.read?.start();
    }
    this.#schedule();
  }

  #follow(name: string): void {
    if (!this.#options.data) {
      this.#members.set(name, { read: null, there: true, register: null });
      return;
    }
    const { table, clock } = this.#options;
    const path = childOf(this.#options.path, name);
    const read = new LevelRead<Node | null>({
      table,
      clock,
      kind: 'node',
      path,
      read: (connection) => readExisting(connection, path),
      deliver: (node) => {
        member.there = node !== null;
        member.register = toRegister(node);
        if (member.there) this.#unsettled.delete(member);
        else this.#unsettled.add(member);
        this.#schedule();
      },
      whenDeleted: null,
      fail: (failure) => this.#options.fail(failure, path),
    });
    const member: Member = { read, there: true, register: null };
    this.#members.set(name, member);
    this.#unsettled.add(member);
    read.start();
  }

  #drop(name: string, member: Member): void {
    this.#members.delete(name);
    this.#unsettled.delete(member);
    member.read?.stop();
  }

  #schedule(): void {
    if (this.#scheduled || this.#unsettled.size > 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#stopped && this.#unsettled.size === 0) this.#emit();
    });
  }

  #emit(): void {
    const children = this.#children();
    const fingerprint = children.map(({ name, register }) => `${name} ${String(register?.version)}`).join('/');
    if (fingerprint === this.#last) return;
    this.#last = fingerprint;
    this.#options.next(children);
  }

  #children(): readonly Child[] {
    const children: Child[] = [];
    for (const [name, { register }] of this.#members) {
      if (this.#options.data && !register) continue;
      children.push({ name, kind: kindOf(name), created: register?.created ?? null, register });
    }
    return children.sort(this.#options.data ? creationOrder : lineOrder);
  }
}

function creationOrder(one: Child, other: Child): number {
  const [first, second] = [one.register?.created ?? 0n, other.register?.created ?? 0n];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

// Without data the sequence tells; names without one come last.
function lineOrder(one: Child, other: Child): number {
  const [first, second] = [placed(one.name), placed(other.name)];
  if (first !== null && second !== null) return sequenceOrder(first, second);
  if (first === null && second === null) return one.name < other.name ? -1 : 1;
  return first === null ? 1 : -1;
}
