import { type Codec, decodeValue } from '../codecs.js';
import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import type { WaitOptions } from '../limits.js';
import type { Grant } from '../lines/grant.js';
import { Standing } from '../lines/standing.js';
import { checkWait } from '../settings.js';
import { waiting } from '../waiting.js';
import { checkWork } from '../work.js';
import { begin } from './idempotency/begin.js';
import type { Intent } from './idempotency/intent.js';
import { type KeyPlace, keysOf, OncePlaces } from './idempotency/places.js';
import type { Recorded } from './idempotency/record.js';
import { writeResult } from './idempotency/result.js';
import { segmentsOf, sweepAll } from './idempotency/sweep.js';

/** How a key's work is run, and for how long its result is kept. */
export interface RunOptions extends WaitOptions {
  /**
   * What to do when an earlier call began this key's work and its outcome was never recorded: `reject` with `OUTCOME_UNKNOWN`, the default, or
   * `rerun` it, which is the consent to run it a second time. The consent is of this call alone: when it does not come to a result, the key stays
   * interrupted for everybody else.
   */
  readonly onInterrupted?: 'reject' | 'rerun';
  /**
   * How long the result is kept at least, in milliseconds, from 0 to 3,155,760,000,000 (a hundred years); default 604,800,000 (7 days). It counts
   * until {@link Idempotency.sweep} removes it, an hour later or more.
   */
  readonly keepMs?: number;
}

/**
 * A gate that runs the work of each key at most once, and answers everybody with its result.
 *
 * Guaranteed: as long as a key's record is kept, its work is not started a second time by anybody, whoever crashes, pauses or is cut off at whatever moment,
 * unless the second caller consented by `onInterrupted: 'rerun'`; and a result is recorded only by the one whose intent stands, so that
 * a stale holder cannot overwrite what came after him.
 *
 * Not guaranteed: that it runs to its end. When its runner dies between beginning the work and recording its result, or stays cut off for two
 * session timeouts after it, nobody can know what became of it: the next caller is told so (`OUTCOME_UNKNOWN`), and has to
 * find out, or to consent. A work that is rerun may go on beside a paused first one: send `grant.fence` along. After the record was swept
 * the key is new.
 *
 * Errors of `run` before the work: as of a lock's `acquire`; `OUTCOME_UNKNOWN` (not retryable) for an interrupted key; `BACKEND` for a result
 * that the codec cannot read, or a record that is not ours.
 *
 * Source: commit, then execute, then record: a request deduplicated by one atomic write before it is carried out.
 *
 * @example
 * ```ts
 * import type { Coordinator } from '@concordat/core';
 *
 * async function charge(coordinator: Coordinator, order: string, pay: (fence: string) => Promise<string>): Promise<unknown> {
 *   const payments = coordinator.idempotency('payments');
 *   return payments.run(order, (grant) => pay(grant.fence), { timeoutMs: 10_000 });
 * }
 * ```
 */
export interface Idempotency<T> {
  /**
   * The result of the work of `key`, a string of 1 to 128 characters: recorded before, or of `work`, which is run now.
   *
   * A recorded result costs one linearizable read. Otherwise callers of one key take turns. `signal` and `timeoutMs` are for the waiting
   * before the work only: once it runs it is waited for. `work` is given the grant of its key's lock, whose `signal` aborts when the lock is lost; it
   * must not release it. Its result is `undefined` or what the codec stores, at most 1,000,000 bytes with a header of about 100.
   *
   * When the work throws, the call rejects with what it threw, and the key is free again, unless this was a rerun: what ran before it may have
   * ended well. When the lock was lost while it ran, its result is
   * recorded nevertheless, unless another caller consented to rerun it: `GRANT_LOST`. When the result could not be recorded in about two session timeouts,
   * `OUTCOME_UNKNOWN`; `CLOSED` when the coordinator was closed; `INVALID_ARGUMENT` or `TOO_LARGE` when it cannot be stored. In these cases
   * the work has run, and the next caller of the key finds it interrupted, or finds its result. A close right before the work, while the word that it
   * may run is on its way to the store, can leave the key interrupted as well.
   */
  run(key: string, work: (grant: Grant) => T | PromiseLike<T>, options?: RunOptions): Promise<T>;
  /**
   * Every key with a record, once each, in no particular order: finished, begun, or withdrawn and not swept yet. Keys that come or go meanwhile
   * may be among them or not.
   *
   * Lists one of 256 directories at a time; the limits are for each. Rejects `UNAVAILABLE` when the store does not answer, and as reads do.
   */
  keys(options?: WaitOptions): AsyncIterable<string>;
  /**
   * Removes what is more than an hour past its time, by the clock of this machine, and answers how many records that were. The hour is for
   * clocks that differ. Never removes what was begun and not recorded.
   *
   * Costs 256 listings, a read for each record, and for each one removed a read and two writes; up to 64 at a time. May be repeated, and run in
   * many places at once. Rejects as reads do, and with `SESSION_LOST` when the session ends meanwhile: what was removed until then stays removed.
   */
  sweep(options?: WaitOptions): Promise<number>;
}

const reactions: readonly unknown[] = ['reject', 'rerun'];
const defaultKeepMs = 604_800_000;
const longestKeepMs = 3_155_760_000_000;

/** The gate on `name`. */
export function idempotency<T>(context: Context, name: string, codec: Codec<T>): Idempotency<T> {
  return new OnceGate(context, new OncePlaces(name), codec);
}

class OnceGate<T> implements Idempotency<T> {
  readonly #context: Context;
  readonly #places: OncePlaces;
  readonly #codec: Codec<T>;

  constructor(context: Context, places: OncePlaces, codec: Codec<T>) {
    this.#context = context;
    this.#places = places;
    this.#codec = codec;
  }

  async run(key: string, work: (grant: Grant) => T | PromiseLike<T>, options: RunOptions = {}): Promise<T> {
    const { consent, keepMs } = checkRun(options);
    checkWork(work);
    const place = this.#places.of(key);
    const standing = new Standing(place.queue);
    const describe = (): string => `${place.what}: its work was not run; ${standing.describe()}`;
    const start = (intent: Intent): Promise<T> => this.#carryOut(place, intent, work, keepMs);
    const begun = await waiting(this.#context, options, describe, (wait) =>
      begin(this.#context, place, consent, wait, standing, start),
    );
    return 'outcome' in begun ? begun.outcome : this.#resultOf(place, begun);
  }

  keys(options: WaitOptions = {}): AsyncIterable<string> {
    checkWait(options);
    return this.#keys(options);
  }

  async sweep(options: WaitOptions = {}): Promise<number> {
    checkWait(options);
    return waiting(
      this.#context,
      options,
      () => 'not everything was swept',
      (wait) => sweepAll(this.#context, this.#places, wait),
    );
  }

  async *#keys(options: WaitOptions): AsyncGenerator<string> {
    for (const shard of this.#places.shards()) {
      const segments = await waiting(
        this.#context,
        options,
        () => 'not every key was listed',
        (wait) => segmentsOf(this.#context, shard, wait),
      );
      yield* keysOf(segments);
    }
  }

  async #carryOut(
    place: KeyPlace,
    intent: Intent,
    work: (grant: Grant) => T | PromiseLike<T>,
    keepMs: number,
  ): Promise<T> {
    try {
      const value = await this.#attempt(intent, work);
      await intent.commit(writeResult(this.#codec, value, { place, token: intent.token, keepMs }));
      return value;
    } finally {
      // Nobody who calls now needs the lock: whatever became of it is written down.
      void intent.grant.release();
    }
  }

  async #attempt(intent: Intent, work: (grant: Grant) => T | PromiseLike<T>): Promise<T> {
    try {
      return await work(intent.grant);
    } catch (failure) {
      await intent.withdraw();
      throw failure;
    }
  }

  #resultOf({ what }: KeyPlace, { value }: Recorded): T {
    // `undefined` was never given to the codec: the type of the work says that it may be.
    if (value === null) return undefined as T;
    return decodeValue(this.#codec, value, what);
  }
}

function checkRun(options: RunOptions): { readonly consent: boolean; readonly keepMs: number } {
  checkWait(options, ['onInterrupted', 'keepMs']);
  const { onInterrupted = 'reject', keepMs = defaultKeepMs } = options;
  if (!reactions.includes(onInterrupted))
    throw new CoordinationError('INVALID_ARGUMENT', 'onInterrupted is "reject" or "rerun"');
  if (typeof keepMs !== 'number' || !(keepMs >= 0 && keepMs <= longestKeepMs))
    throw new CoordinationError('INVALID_ARGUMENT', 'keepMs must be a number from 0 to 3,155,760,000,000');
  return { consent: onInterrupted === 'rerun', keepMs };
}
