import type { Observable } from 'rxjs';
import type { Context } from '../context.js';
import type { AcquireOptions } from '../lines/acquire-options.js';
import type { Grant } from '../lines/grant.js';
import { QueuedLock } from '../lines/queued-lock.js';
import type { WaitingLine } from '../lines/waiting-line.js';
import { encodeName } from '../names.js';

/**
 * A fair lock: one holder at a time, waiters served in the order in which the store saw them arrive.
 *
 * Every call is a contender of its own, also within one process: not re-entrant. A release wakes one waiter. Waiting has no
 * limit unless one is given; over a session loss a waiter goes to the end of the line and waits on (event `requeued`).
 *
 * Not a guarantee: a paused or cut-off holder may act on after its time; see {@link Grant}.
 *
 * Errors of every call: `TIMEOUT` (place in line and holder in its message), the caller's `signal.reason`, `CLOSED`,
 * `INVALID_ARGUMENT` and `TOO_LARGE` before anything is sent, `UNAUTHENTICATED`, `PERMISSION_DENIED`, `DRIVER_UNAVAILABLE`,
 * `BACKEND`. A call that failed leaves no entry behind.
 *
 * Source: the lock "without the herd effect" of the ZooKeeper paper (§2.4).
 *
 * @example
 * ```ts
 * import type { Coordinator } from '@concordat/core';
 *
 * async function nightly(coordinator: Coordinator): Promise<void> {
 *   await coordinator.lock('reports/nightly').with(async (grant) => {
 *     console.log(`running with token ${grant.token}`);
 *   });
 * }
 * ```
 */
export interface Lock {
  /** Waits for the lock. A free one costs one round trip on etcd, and on ZooKeeper one or two (docs/spec/lock.md). */
  acquire(options?: AcquireOptions): Promise<Grant>;
  /**
   * The lock, or `undefined` when somebody is in the line, on the store's word; never waits for a turn and enters only an empty line.
   * Rejects `UNAVAILABLE` when the store does not answer within the request limit.
   */
  tryAcquire(options?: AcquireOptions): Promise<Grant | undefined>;
  /**
   * Runs `work` while holding, and releases when it has settled. The limits are for the waiting only.
   *
   * When the lock is lost meanwhile, `grant.signal` aborts, `work` is waited for, and the call rejects `GRANT_LOST`, whatever `work` did. So it does when the lock was
   * lost before `work` could begin, which then never runs.
   */
  with<T>(work: (grant: Grant) => T | PromiseLike<T>, options?: AcquireOptions): Promise<T>;
  /**
   * Cold: each subscription is a contender; it emits one grant when it is its turn, and nothing after.
   *
   * Never completes. Errors `GRANT_LOST` when the grant is lost, `CLOSED` on close, `NOT_HELD` when the grant was released by hand, and as
   * {@link Lock.acquire} before. Unsubscribing gives the place up or releases, in the background; `close()` waits for it.
   * Do not use `firstValueFrom`: it unsubscribes, and so releases. The grant still looks held right after, and is over a moment later.
   */
  hold(options?: AcquireOptions): Observable<Grant>;
  /**
   * The live waiting line: emits the current one on subscribing, then every change (it may skip some, and ends with the last),
   * marked `stale` while the session is not connected. Completes on close; errors only for `UNAUTHENTICATED` and `PERMISSION_DENIED`.
   * Meant for looking: each change is sent to every observer.
   */
  readonly contenders$: Observable<WaitingLine>;
}

/** The lock on `name`, as any of its contenders may take it. */
export function lock(context: Context, name: string): Lock {
  const dir = `lock/${encodeName(name)}`;
  return new QueuedLock(context, { primitive: 'lock', name, dir, kind: 'lock', rule: { limit: 1 } });
}
