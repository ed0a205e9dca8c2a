import type { Context } from '../context.js';
import { QueuedLock } from '../lines/queued-lock.js';
import { encodeName } from '../names.js';
import type { Lock } from './lock.js';

/**
 * Readers together, writers alone, served in the order in which the store saw them arrive.
 *
 * Both sides stand in one line: a reader waits for the nearest writer before it, a writer for everybody before it. So neither side
 * starves: a reader that comes after a waiting writer waits for it. A release wakes the one writer, or the readers, that may now go in. A writer that
 * gives up lets the readers behind it in, unless another writer is before them.
 *
 * Each side has everything of {@link Lock}, with its errors; both show the whole line, readers as kind `read`, writers as `write`. Tokens rise over both sides:
 * a resource that accepts equal and refuses lower ones ({@link TokenGate}) refuses a writer that was passed by a later writer *or reader*. Let readers show theirs
 * only where that is wanted: of readers beside each other the later one has the greater token.
 *
 * Not a guarantee: it is not re-entrant, and no side turns into the other. Who holds `read` and waits for `write` waits for
 * itself, until its limit. And as with every lock a paused or cut-off holder may act on after its time; see {@link Grant}.
 *
 * Source: the read/write lock of the ZooKeeper paper (§2.4).
 *
 * @example
 * ```ts
 * import type { Coordinator } from '@concordat/core';
 *
 * async function report(coordinator: Coordinator, read: () => Promise<void>): Promise<void> {
 *   await coordinator.readWriteLock('ledger').read.with(read, { timeoutMs: 5_000 });
 * }
 *
 * async function book(coordinator: Coordinator, write: (fence: string) => Promise<void>): Promise<void> {
 *   await coordinator.readWriteLock('ledger').write.with((grant) => write(grant.fence));
 * }
 * ```
 */
export interface ReadWriteLock {
  /**
   * Beside other readers, never beside a writer. Its `tryAcquire` answers `undefined` when a writer holds, or waits before it; it enters the
   * line, and leaves it again, where a reader is first and a writer may be behind.
   */
  readonly read: Lock;
  /** Alone. Its `tryAcquire` enters only an empty line. A waiting writer is told of the nearest one before it only, and so at most once by each. */
  readonly write: Lock;
}

/** The read/write lock on `name`, as any of its contenders may take it. */
export function readWriteLock(context: Context, name: string): ReadWriteLock {
  const line = { primitive: 'rw', name, dir: `rw/${encodeName(name)}` };
  return {
    read: new QueuedLock(context, { ...line, kind: 'read', rule: { of: 'write', limit: 1 } }),
    write: new QueuedLock(context, { ...line, kind: 'write', rule: { limit: 1 } }),
  };
}
