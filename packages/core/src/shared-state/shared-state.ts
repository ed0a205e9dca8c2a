import { filter, map, type Observable } from 'rxjs';
import { type Codec, checkValue, decodeValue } from '../codecs.js';
import type { Context } from '../context.js';
import { CoordinationError, type CoordinationErrorCode } from '../errors.js';
import { firstOf } from '../first-of.js';
import type { Key, PutResult, Register } from '../spi/backend.js';
import type { Wait } from '../wait.js';
import { waiting } from '../waiting.js';
import { Pace } from './pace.js';

/** One state of the register, on the store's word. */
export interface Seen<T> {
  readonly state: T;
  /** `null` while the register is absent. */
  readonly version: bigint | null;
  /** True when this very call has just stored it. */
  readonly stored: boolean;
}

/** What to do about a state: be done with an answer, write the next one over it, or look again when `wake$` emits. */
export type Verdict<T, R> = { readonly done: R } | { readonly write: T } | { readonly wake$: Observable<unknown> };

type Step<T, R> = (seen: Seen<T>) => Verdict<T, R> | Promise<Verdict<T, R>>;

/** Told of each failure that is being outlasted; `isRefusal` when it says more than that the store could not be asked. */
type Troubled = (reason: CoordinationError, isRefusal: boolean) => void;

/** Whether to go on after a failure. */
type Outlasting = (reason: CoordinationError) => boolean;

const passing: ReadonlySet<CoordinationErrorCode> = new Set(['UNAVAILABLE', 'OUTCOME_UNKNOWN', 'SESSION_LOST']);

// What somebody else has written by hand stays as it is, and is not ours to take away.
const undecodable = new WeakSet<CoordinationError>();

// A watch shows the same register to everybody here who waits.
const decoded = new WeakMap<Register, unknown>();

/**
 * State that several share in one register, changed by compare-and-set: what a state means and what may follow it is for the recipe
 * to say, as a step from each state that the store shows to a {@link Verdict}.
 *
 * Nothing is decided on what a watch shows, which may be older than the call or than a restore of the store: it is a reason to look.
 */
export class SharedState<T> {
  readonly #context: Context;
  readonly #key: Key;
  readonly #codec: Codec<T>;
  readonly #absent: T;

  constructor(context: Context, key: Key, codec: Codec<T>, absent: T) {
    this.#context = context;
    this.#key = key;
    this.#codec = codec;
    this.#absent = absent;
  }

  /** What the one shared watch of this register shows after `seen`: hints, never answers. */
  after({ version }: Seen<T>): Observable<T> {
    return this.#context.watches.register(this.#key).pipe(
      filter((register) => isNews(register, version)),
      map((register) => this.#seen(register, false).state),
    );
  }

  /**
   * Takes steps until one is done, over outages and lost sessions.
   *
   * A write whose reply was lost is not repeated, and not taken for refused: the step is asked again with what is there then, so it has to know its own
   * work again. At most one write over a version is ever applied.
   */
  settle<R>(wait: Wait, step: Step<T, R>): Promise<R> {
    return this.#settle(wait, step, isPassing);
  }

  /**
   * The same behind a caller who may have gone: until it is done, `signal` aborts, or the coordinator closes, which waits for it. A refusal is no end
   * of it: what is left behind would be in everybody's way for as long as this session lives.
   */
  settleBehind<R>(step: Step<T, R>, troubled: Troubled, signal?: AbortSignal): Promise<R> {
    const limits = signal === undefined ? {} : { signal };
    const settling = waiting(
      this.#context,
      limits,
      () => '',
      (wait) => this.#settle(wait, step, (reason) => reason.code !== 'CLOSED' && !undecodable.has(reason), troubled),
    );
    return this.#context.leaving.track(settling);
  }

  async #settle<R>(wait: Wait, step: Step<T, R>, isOutlasted: Outlasting, troubled?: Troubled): Promise<R> {
    const pace = new Pace();
    let seen: Seen<T> | null = null;
    let seenIn = 0;
    for (;;) {
      try {
        const current = await wait.connected();
        // A version says something within the session that read it alone: a store that was restored gives it again.
        if (current !== seenIn) seen = null;
        seenIn = current;
        seen ??= await this.#read(wait, current);
        const verdict: Verdict<T, R> = await step(seen);
        if ('done' in verdict) return verdict.done;
        if ('write' in verdict) {
          seen = await this.#write(wait, seen, verdict.write, current);
          pace.answered();
          if (await paused(wait, pace.afterWrite(seen.stored))) seen = null;
        } else {
          pace.answered();
          await paused(wait, pace.beforeWake(seen.version));
          await firstOf(this.#context, wait, current, verdict.wake$);
          seen = null;
        }
      } catch (reason) {
        if (wait.ended || !CoordinationError.is(reason) || !isOutlasted(reason)) throw wait.reasonOver(reason);
        troubled?.(reason, !isPassing(reason));
        seen = null;
        await paused(wait, pace.afterTrouble());
      }
    }
  }

  async #read(wait: Wait, epoch: number): Promise<Seen<T>> {
    const { requests, layout } = this.#context;
    await wait.race(layout.tokenBase(epoch));
    const reading = requests.read((backend, call) => backend.get(this.#key, 'linearizable', call), epoch);
    return this.#seen(await wait.race(reading), false);
  }

  /** What is there afterwards: the new state, or the one that was in the way. */
  async #write(wait: Wait, { version }: Seen<T>, state: T, epoch: number): Promise<Seen<T>> {
    const { requests } = this.#context;
    const value = checkValue(this.#codec.encode(state));
    const expect = version ?? 'absent';
    const writing = requests.write((backend, call) => backend.put(this.#key, value, { expect }, call), epoch);
    const result: PutResult = await wait.race(writing);
    return result.stored ? this.#seen(result.register, true) : this.#seen(result.current, false);
  }

  #seen(register: Register | null, stored: boolean): Seen<T> {
    if (register === null) return { state: this.#absent, version: null, stored };
    let state = decoded.get(register) as T | undefined;
    state ??= this.#decode(register);
    decoded.set(register, state);
    return { state, version: register.version, stored };
  }

  #decode({ value }: Register): T {
    try {
      return decodeValue(this.#codec, value, this.#key);
    } catch (reason) {
      if (CoordinationError.is(reason)) undecodable.add(reason);
      throw reason;
    }
  }
}

async function paused(wait: Wait, ms: number): Promise<boolean> {
  if (ms > 0) await wait.pause(ms);
  return ms > 0;
}

// Versions rise as long as a session lasts; one that fell is found by the read which every new session begins with.
function isNews(register: Register | null, version: bigint | null): boolean {
  if (register === null) return version !== null;
  return version === null || register.version > version;
}

// Whatever became of a write, the next read shows it; and in the next session as well.
function isPassing({ code }: CoordinationError): boolean {
  return passing.has(code);
}
