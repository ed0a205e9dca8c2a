import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import type { AcquireOptions } from '../lines/acquire-options.js';
import type { Grant } from '../lines/grant.js';
import { QueuedLock } from '../lines/queued-lock.js';
import { encodeName } from '../names.js';
import type { Lock } from './lock.js';

const mostPermits = 1_000;

/**
 * Up to `permits` holders at a time, waiters served in the order in which the store saw them arrive.
 *
 * Every call is one contender for one permit, also within one process. Never more than `permits` entries are entitled to hold, by the
 * store's own order; a permit that is given back, lost with its session or deleted by hand goes to the first who waits. A release tells that one, who
 * tells the next that he is the first now.
 *
 * Everybody has to ask for the same number. Who asks for another one than those who hold it is refused with `CONFLICT`, and leaves no entry: a number
 * can be changed only when nobody is in the line. It is not retried by itself.
 *
 * Not guarantees: a paused or cut-off holder may act on after its time, beside `permits` others; see {@link Grant}. Tokens tell who came later, not who holds: a
 * resource that refuses lower ones would refuse a holder that is beside a later one. Who just got in and is cut
 * off at once may keep the one behind from hearing of a second free permit, until it reconnects or its session is over. A permit has no number: to know
 * which of several things to use, take locks.
 *
 * Source: the queue of the ZooKeeper paper's lock (§2.4), with more than one at its head.
 *
 * @example
 * ```ts
 * import type { Coordinator } from '@concordat/core';
 *
 * async function callPartner(coordinator: Coordinator, call: (signal: AbortSignal) => Promise<void>): Promise<void> {
 *   const atMostFive = coordinator.semaphore('partner-api', 5);
 *   await atMostFive.with((grant) => call(grant.signal), { timeoutMs: 10_000 });
 * }
 * ```
 */
export interface Semaphore extends Lock {
  /** How many may hold it at a time, 1 to 1,000. */
  readonly permits: number;
  /**
   * Waits for a permit. A free one costs what a free lock does, and on a store that cannot tell the place of an entry with its creation one write more,
   * behind the caller. Replies name up to `permits` + 1 entries.
   *
   * @throws {CoordinationError} As {@link Lock.acquire}; `CONFLICT` when whoever holds a permit asked for another number of them.
   */
  acquire(options?: AcquireOptions): Promise<Grant>;
  /**
   * A permit, or `undefined` when as many as there are permits were in the line before, on the store's word; never waits for a turn. It enters the line to know
   * that, and leaves it again.
   *
   * @throws {CoordinationError} `UNAVAILABLE` when the store does not answer within the request limit; `CONFLICT` as {@link Semaphore.acquire}.
   */
  tryAcquire(options?: AcquireOptions): Promise<Grant | undefined>;
}

/**
 * The semaphore on `name`, as any of its contenders may take it.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT` unless `permits` is a whole number from 1 to 1,000.
 */
export function semaphore(context: Context, name: string, permits: number): Semaphore {
  if (!Number.isInteger(permits) || permits < 1 || permits > mostPermits)
    throw new CoordinationError('INVALID_ARGUMENT', 'permits must be a whole number from 1 to 1,000');
  const line = { primitive: 'sem', name, dir: `sem/${encodeName(name)}` };
  const queue = { ...line, kind: `lease:${permits}`, rule: { limit: permits + 1 }, permits } as const;
  return Object.assign(new QueuedLock(context, queue), { permits });
}
