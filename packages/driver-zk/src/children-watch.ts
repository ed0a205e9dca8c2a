import type { Child, Clock, Register } from '@concordat/core/spi';
import type { Failure } from './connection.js';
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
  /** `undefined` until it was read for the first time. */
  register: Register | null | undefined;
}

/**
 * The children of one directory: one watch for the list and, with data, one for each child. A change is read where it
 * happened. Snapshots go out once per tick, when every listed child was read.
 */
export class ChildrenWatch {
  readonly #options: ChildrenWatchOptions;
  readonly #members = new Map<string, Member>();
  readonly #list: LevelRead<readonly string[] | null>;
  #unread = 0;
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
      else if (member.register === null) member.read?.start();
    }
    this.#schedule();
  }

  #follow(name: string): void {
    if (!this.#options.data) {
      this.#members.set(name, { read: null, register: null });
      return;
    }
    const { table, clock } = this.#options;
    const path = childOf(this.#options.path, name);
    const read = new LevelRead<Register | null>({
      table,
      clock,
      kind: 'node',
      path,
      read: async (connection) => {
        const answer = await readExisting(connection, path);
        return answer.ok ? { ok: true, value: toRegister(answer.value) } : answer;
      },
      deliver: (register) => {
        if (member.register === undefined) this.#unread -= 1;
        member.register = register;
        this.#schedule();
      },
      whenDeleted: null,
      fail: (failure) => this.#options.fail(failure, path),
    });
    const member: Member = { read, register: undefined };
    this.#members.set(name, member);
    this.#unread += 1;
    read.start();
  }

  #drop(name: string, member: Member): void {
    this.#members.delete(name);
    member.read?.stop();
    if (member.register === undefined) this.#unread -= 1;
  }

  #schedule(): void {
    if (this.#scheduled || this.#unread > 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#stopped && this.#unread === 0) this.#emit();
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
      children.push({ name, kind: kindOf(name), register: register ?? null });
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
