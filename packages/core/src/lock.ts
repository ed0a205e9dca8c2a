import { hostname } from 'node:os';
import { Observable } from 'rxjs';
import { onAbort } from './abort-fan.js';
import { checkSize, text } from './codecs.js';
import { type WaitingLine, waitingLine } from './contenders.js';
import type { Context } from './context.js';
import { CoordinationError } from './errors.js';
import type { EntryGrant, Grant } from './grant.js';
import type { WaitOptions } from './limits.js';
import { encodeName } from './names.js';
import { checkWait } from './settings.js';
import { Standing } from './standing.js';
import { enterLine, grantPlace, type Queue, waitForTurn } from './turn.js';
import { Wait } from './wait.js';

/** How to stand in a line. */
export interface AcquireOptions extends WaitOptions {
  /** Shown to whoever looks at the line; at most 1,000,000 bytes, better under 100. Default: host name and process id. */
  readonly data?: string | Uint8Array;
}

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
   * When the lock is lost meanwhile, `grant.signal` aborts, `work` is waited for, and the call rejects `GRANT_LOST`, whatever `work` did.
   */
  with<T>(work: (grant: Grant) => T | PromiseLike<T>, options?: AcquireOptions): Promise<T>;
  /**
   * Cold: each subscription is a contender; it emits one grant when it is its turn, and nothing after.
   *
   * Never completes. Errors `GRANT_LOST` when the grant is lost, `CLOSED` on close, `NOT_HELD` when the grant was released by hand, and as
   * {@link Lock.acquire} before. Unsubscribing gives the place up or releases, in the background; `close()` waits for it.
   * Do not use `firstValueFrom`: it unsubscribes, and so releases, before the grant can be used.
   */
  hold(options?: AcquireOptions): Observable<Grant>;
  /**
   * The live waiting line: emits the current one on subscribing, then every change (it may skip some, and ends with the last),
   * marked `stale` while the session is not connected. Completes on close; errors only for `UNAUTHENTICATED` and `PERMISSION_DENIED`.
   * Meant for looking: each change is sent to every observer.
   */
  readonly contenders$: Observable<WaitingLine>;
}

/** The lock on `name`, as one of its contenders may take it. */
export class QueuedLock implements Lock {
  readonly #context: Context;
  readonly #name: string;
  readonly #dir: string;
  readonly contenders$: Observable<WaitingLine>;

  constructor(context: Context, name: string) {
    this.#context = context;
    this.#name = name;
    this.#dir = `lock/${encodeName(name)}`;
    this.contenders$ = waitingLine(context, this.#dir);
  }

  acquire(options: AcquireOptions = {}): Promise<Grant> {
    return this.#acquire(options);
  }

  async tryAcquire(options: AcquireOptions = {}): Promise<Grant | undefined> {
    const { queue, standing } = this.#queue(options);
    const { session, clock, requests, leaving } = this.#context;
    const limited = { ...options, timeoutMs: Math.min(options.timeoutMs ?? requests.timeoutMs, requests.timeoutMs) };
    const wait = new Wait(limited, session, clock, () => standing.describe());
    try {
      wait.check();
      const first = await wait.race(requests.read((backend, call) => backend.first(queue.dir, call)));
      if (first !== null) return undefined;
      const place = await enterLine(this.#context, queue, wait, await wait.connected());
      if (place.ahead.length === 0) return grantPlace(this.#context, queue, place);
      // The answer is known; removing the entry goes on behind it when the store stops answering now.
      await wait.race(leaving.leave(standing.line, place.entry)).catch(() => undefined);
      return undefined;
    } catch (reason) {
      throw this.#unavailable(reason, options);
    } finally {
      wait.finish();
    }
  }

  async with<T>(work: (grant: Grant) => T | PromiseLike<T>, options: AcquireOptions = {}): Promise<T> {
    const grant = await this.#acquire(options);
    const [outcome] = await Promise.allSettled([run(work, grant)]);
    const lost = grant.lost();
    await grant.release();
    // Whatever the work returned or threw: it did not run under the lock to its end.
    if (lost !== null) throw lost;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  hold(options: AcquireOptions = {}): Observable<Grant> {
    return new Observable((subscriber) => {
      const given = new AbortController();
      const { signal } = options;
      const stopListening =
        signal === undefined || signal.aborted ? undefined : onAbort(signal, () => given.abort(signal.reason));
      if (signal?.aborted === true) given.abort(signal.reason);
      let granted: EntryGrant | null = null;
      this.#acquire({ ...options, signal: given.signal }).then(
        (grant) => {
          granted = grant;
          if (subscriber.closed) return void grant.release();
          grant.whenOver((reason) => subscriber.error(reason));
          // From here on the caller's signal, which was for the waiting, ends nothing.
          stopListening?.();
          if (grant.lost() === null) subscriber.next(grant);
        },
        (reason: unknown) => subscriber.error(reason),
      );
      return () => {
        stopListening?.();
        given.abort();
        // Teardown runs before what was switched onto the grant is stopped: that goes first.
        queueMicrotask(() => void granted?.release());
      };
    });
  }

  async #acquire(options: AcquireOptions): Promise<EntryGrant> {
    const { queue, standing } = this.#queue(options);
    const wait = new Wait(options, this.#context.session, this.#context.clock, () => standing.describe());
    try {
      wait.check();
      return await waitForTurn(this.#context, queue, wait, standing);
    } finally {
      wait.finish();
    }
  }

  #queue(options: AcquireOptions): { readonly queue: Queue; readonly standing: Standing } {
    checkWait(options, ['data']);
    const line = { primitive: 'lock', name: this.#name };
    const data = contenderData(options.data);
    return { queue: { ...line, dir: this.#dir, kind: 'lock', rule: { limit: 1 }, data }, standing: new Standing(line) };
  }

  // The limit of one request is ours, not the caller's: his own timeout stays a timeout. And whoever does not wait has no session to lose.
  #unavailable(reason: unknown, options: AcquireOptions): unknown {
    const ours = options.timeoutMs === undefined || options.timeoutMs > this.#context.requests.timeoutMs;
    const passing = CoordinationError.is(reason, 'SESSION_LOST') || (ours && CoordinationError.is(reason, 'TIMEOUT'));
    if (!passing) return reason;
    return new CoordinationError('UNAVAILABLE', 'the store did not answer in time', { cause: reason });
  }
}

async function run<T>(work: (grant: Grant) => T | PromiseLike<T>, grant: Grant): Promise<T> {
  return await work(grant);
}

let ownData: Uint8Array | null = null;

function contenderData(data: string | Uint8Array | undefined): Uint8Array {
  if (data === undefined) {
    ownData ??= text.encode(`${hostname()}:${String(process.pid)}`);
    return ownData;
  }
  return checkSize(typeof data === 'string' ? text.encode(data) : data);
}
