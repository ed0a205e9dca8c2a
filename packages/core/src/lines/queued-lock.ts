import { Observable } from 'rxjs';
import { passOn } from '../abort-fan.js';
import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import { checkWait } from '../settings.js';
import { Wait } from '../wait.js';
import { checkWork, run } from '../work.js';
import type { AcquireOptions } from './acquire-options.js';
import { contenderData } from './contender-data.js';
import type { EntryGrant, Grant } from './grant.js';
import { isTurn, requireAgreement } from './permits.js';
import type { Queue } from './queue.js';
import { Standing } from './standing.js';
import { enterLine, gaveUp, grantPlace, waitForTurn } from './turn.js';
import { type WaitingLine, waitingLine } from './waiting-line.js';

/** Whatever is granted in a line, one entry for each grant: a lock, one side of a read/write lock, a permit. */
export class QueuedLock {
  readonly #context: Context;
  readonly #queue: Omit<Queue, 'data'>;
  readonly contenders$: Observable<WaitingLine>;

  constructor(context: Context, queue: Omit<Queue, 'data'>) {
    this.#context = context;
    this.#queue = queue;
    this.contenders$ = waitingLine(context, queue.dir);
  }

  acquire(options: AcquireOptions = {}): Promise<Grant> {
    return this.#acquire(options);
  }

  async tryAcquire(options: AcquireOptions = {}): Promise<Grant | undefined> {
    const { queue, standing } = this.#stand(options);
    const { session, clock, requests, leaving } = this.#context;
    const limited = { ...options, timeoutMs: Math.min(options.timeoutMs ?? requests.timeoutMs, requests.timeoutMs) };
    const wait = new Wait(limited, session, clock, () => standing.describe());
    try {
      wait.check();
      // Where several may be in, only a place in the line tells.
      if (queue.permits === undefined) {
        const first = await wait.race(requests.read((backend, call) => backend.first(queue.dir, call)));
        if (first !== null && (queue.rule.of === undefined || first.kind === queue.rule.of)) {
          gaveUp(this.#context, queue, wait, null, null);
          return undefined;
        }
      }
      const place = await enterLine(this.#context, queue, wait, await wait.connected());
      if (isTurn(queue, place.ahead)) return grantPlace(this.#context, queue, place);
      try {
        await requireAgreement(this.#context, queue, wait, place);
        gaveUp(this.#context, queue, wait, place.entry.name, null);
        return undefined;
      } finally {
        // The answer is known; removing the entry goes on behind it when the store stops answering now.
        await wait.race(leaving.leave(queue, place.entry)).catch(() => undefined);
      }
    } catch (failure) {
      const reason = this.#unavailable(failure, options);
      gaveUp(this.#context, queue, wait, null, reason);
      throw reason;
    } finally {
      wait.finish();
    }
  }

  async with<T>(work: (grant: Grant) => T | PromiseLike<T>, options: AcquireOptions = {}): Promise<T> {
    checkWork(work);
    const grant = await this.#acquire(options);
    // Asked in the turn in which the work begins: whatever ran between the store's word and here may have taken longer than the session.
    const lostBefore = grant.lost();
    if (lostBefore !== null) {
      await grant.release();
      throw lostBefore;
    }
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
      checkWait(options, ['data']);
      const given = new AbortController();
      const stopListening = passOn(options.signal, given);
      let granted: EntryGrant | null = null;
      this.#acquire({ ...options, signal: given.signal }).then(
        (grant) => {
          granted = grant;
          if (subscriber.closed) return void grant.release();
          grant.whenOver((reason) => subscriber.error(reason));
          // From here on the caller's signal, which was for the waiting, ends nothing.
          stopListening();
          if (grant.lost() === null) subscriber.next(grant);
        },
        (reason: unknown) => subscriber.error(reason),
      );
      return () => {
        stopListening();
        given.abort();
        // Teardown runs before what was switched onto the grant is stopped: that goes first.
        queueMicrotask(() => void granted?.release());
      };
    });
  }

  async #acquire(options: AcquireOptions): Promise<EntryGrant> {
    const { queue, standing } = this.#stand(options);
    const wait = new Wait(options, this.#context.session, this.#context.clock, () => standing.describe());
    try {
      wait.check();
      return await waitForTurn(this.#context, queue, wait, standing);
    } finally {
      wait.finish();
    }
  }

  #stand(options: AcquireOptions): { readonly queue: Queue; readonly standing: Standing } {
    checkWait(options, ['data']);
    return { queue: { ...this.#queue, data: contenderData(options.data) }, standing: new Standing(this.#queue) };
  }

  // The limit of one request is ours, not the caller's: his own timeout stays a timeout. And whoever does not wait has no session to lose.
  #unavailable(reason: unknown, options: AcquireOptions): unknown {
    const ours = options.timeoutMs === undefined || options.timeoutMs > this.#context.requests.timeoutMs;
    const passing = CoordinationError.is(reason, 'SESSION_LOST') || (ours && CoordinationError.is(reason, 'TIMEOUT'));
    if (!passing) return reason;
    return new CoordinationError('UNAVAILABLE', 'the store did not answer in time', { cause: reason });
  }
}
