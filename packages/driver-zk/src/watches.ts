import { type Child, type Clock, delayed, type Entry, type Key, type Ref, type Register } from '@concordat/core/spi';
import { Observable } from 'rxjs';
import { ChildrenWatch } from './children-watch.js';
import type { Answer, Connection, Failure, NodeStat } from './connection.js';
import { readError } from './errors.js';
import { childOf, type Paths } from './keys.js';
import { LevelRead, orNull, readNode } from './level-read.js';
import type { PathTable } from './path-table.js';
import { toRegister } from './register-codec.js';

// A grant held for less than this never pays for a watch on its own entry, where entering did not need one.
const ownWatchDelayMs = 100;

/** Level-triggered streams of registers, directories and entries. */
export class Watches {
  readonly #table: PathTable;
  readonly #paths: Paths;
  readonly #clock: Clock;
  readonly #open = new Set<() => void>();

  constructor(table: PathTable, paths: Paths, clock: Clock) {
    this.#table = table;
    this.#paths = paths;
    this.#clock = clock;
  }

  watch(key: Key): Observable<Register | null> {
    const path = this.#paths.of(key);
    return this.#stream((next, fail) => {
      let last: Register | null | undefined;
      const read = new LevelRead({
        table: this.#table,
        clock: this.#clock,
        kind: 'node',
        path,
        read: (connection) => readNode(connection, path),
        deliver: (node) => {
          const register = toRegister(node);
          if (last !== undefined && isSame(last, register)) return;
          last = register;
          next(register);
        },
        fail: (failure) => fail(failure, path),
      });
      read.start();
      return () => read.stop();
    });
  }

  watchChildren(dir: Key, options: { readonly data: boolean }): Observable<readonly Child[]> {
    const path = this.#paths.of(dir);
    return this.#stream((next, fail) => {
      const watch = new ChildrenWatch({ table: this.#table, clock: this.#clock, path, ...options, next, fail });
      watch.start();
      return () => watch.stop();
    });
  }

  gone(ref: Ref | Entry, options: { readonly touched: boolean }): Observable<'gone' | 'touched'> {
    const path = childOf(this.#paths.of(ref.dir), ref.name);
    const watched = this.#gone(path, ref, options);
    const isUnwatched = 'epoch' in ref && this.#table.known(path) === null;
    return isUnwatched ? delayed(this.#clock, ownWatchDelayMs, watched) : watched;
  }

  #gone(
    path: string,
    { created }: Ref | Entry,
    { touched }: { readonly touched: boolean },
  ): Observable<'gone' | 'touched'> {
    return this.#stream((next, fail, complete) => {
      const changeOf = (stat: NodeStat | null): 'gone' | 'touched' | null => {
        if (stat === null || (created !== null && stat.created !== created)) return 'gone';
        return touched && stat.modified !== stat.created ? 'touched' : null;
      };
      const look = (stat: NodeStat | null): void => {
        const change = changeOf(stat);
        if (change === null) return;
        next(change);
        complete();
      };
      const read = new LevelRead({
        table: this.#table,
        clock: this.#clock,
        kind: 'node',
        path,
        read: (connection) => readStat(this.#table, connection, path),
        deliver: look,
        whenDeleted: null,
        fail: (failure) => fail(failure, path),
      });
      const known = this.#table.known(path);
      if (known === null || changeOf(known) !== null) read.start();
      return () => read.stop();
    });
  }

  /** Completes every stream. */
  close(): void {
    for (const complete of [...this.#open]) complete();
  }

  #stream<Value>(
    run: (
      next: (value: Value) => void,
      fail: (failure: Failure, path: string) => void,
      complete: () => void,
    ) => () => void,
  ): Observable<Value> {
    return new Observable((subscriber) => {
      const complete = (): void => subscriber.complete();
      this.#open.add(complete);
      subscriber.add(() => this.#open.delete(complete));
      subscriber.add(
        run(
          (value) => subscriber.next(value),
          (failure, path) => subscriber.error(readError(failure, path)),
          complete,
        ),
      );
    });
  }
}

// A missing node is gone for good, since names are never used twice: no watch is left behind for it.
async function readStat(table: PathTable, connection: Connection, path: string): Promise<Answer<NodeStat | null>> {
  const answer = orNull(await table.arm(connection, path));
  return answer.ok ? { ok: true, value: answer.value?.stat ?? null } : answer;
}

function isSame(one: Register | null, other: Register | null): boolean {
  if (one === null || other === null) return one === other;
  return one.created === other.created && one.version === other.version;
}
