import { filter } from 'rxjs';
import { type Codec, json } from '../codecs.js';
import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import { fieldsOf, isCount } from '../json-fields.js';
import type { WaitOptions } from '../limits.js';
import { encodeName } from '../names.js';
import { checkWait } from '../settings.js';
import { type Seen, SharedState, type Verdict } from '../shared-state/shared-state.js';
import { waiting } from '../waiting.js';

/**
 * A barrier: somebody closes it, many wait, somebody opens it, and all who waited pass.
 *
 * It is open until it is closed for the first time. It belongs to nobody: it stays as it is when the session of whoever closed it is over. Rounds are
 * counted, so a waiter passes when the round that it saw closed was opened, also if the next one was closed at once.
 *
 * Not a guarantee: that it is still open when `wait` resolves, since anybody may close the next round.
 *
 * Errors of every call: `TIMEOUT`, the caller's `signal.reason`, `CLOSED`, `INVALID_ARGUMENT` before anything is sent, `UNAUTHENTICATED`,
 * `PERMISSION_DENIED`, `DRIVER_UNAVAILABLE`, `BACKEND`. Outages and lost sessions are outlasted, within the caller's limit.
 *
 * Source: the ZooKeeper recipes' barrier, with its rounds counted in one register (docs/spec/barrier.md).
 *
 * @example
 * ```ts
 * import type { Coordinator } from '@concordat/core';
 *
 * async function migrate(coordinator: Coordinator, run: () => Promise<void>): Promise<void> {
 *   const barrier = coordinator.barrier('migration');
 *   await barrier.close({ timeoutMs: 10_000 });
 *   await run();
 *   await barrier.open({ timeoutMs: 10_000 });
 * }
 *
 * async function serve(coordinator: Coordinator, start: () => void): Promise<void> {
 *   await coordinator.barrier('migration').wait();
 *   start();
 * }
 * ```
 */
export interface Barrier {
  /**
   * Closes it, and resolves when the store has it so: whoever waits after that waits. Does nothing when it is closed already. Costs a
   * read and a write.
   *
   * One that ended with `TIMEOUT`, an abort or `CLOSED` may have been carried out, or be carried out later, unless a `close` or
   * `open` is answered before.
   */
  close(options?: WaitOptions): Promise<void>;
  /** Opens it, and resolves when the store has it so; whoever closed it. Does nothing when it is open already. Otherwise as {@link Barrier.close}. */
  open(options?: WaitOptions): Promise<void>;
  /** Resolves at once while it is open, and otherwise when the round that is closed now was opened. Costs a read, and another one when it was waited for. */
  wait(options?: WaitOptions): Promise<void>;
}

interface State {
  readonly round: number;
  readonly closed: boolean;
}

type Done = { readonly done: undefined };
const done: Done = { done: undefined };

const states: Codec<State> = {
  encode: ({ round, closed }) => json.encode({ round, closed }),
  decode(bytes) {
    const { round, closed } = fieldsOf(json.decode(bytes));
    if (isCount(round) && typeof closed === 'boolean') return { round, closed };
    throw new CoordinationError('BACKEND', 'this is no barrier');
  },
};

/** The barrier on `name`, as anybody may close, open and wait for it. */
export function barrier(context: Context, name: string): Barrier {
  return new RegisterBarrier(context, name);
}

class RegisterBarrier implements Barrier {
  readonly #context: Context;
  readonly #name: string;
  readonly #state: SharedState<State>;

  constructor(context: Context, name: string) {
    this.#context = context;
    this.#name = name;
    this.#state = new SharedState(context, `barrier/${encodeName(name)}`, states, { round: 0, closed: false });
  }

  close(options: WaitOptions = {}): Promise<void> {
    return this.#change(options, true);
  }

  open(options: WaitOptions = {}): Promise<void> {
    return this.#change(options, false);
  }

  async wait(options: WaitOptions = {}): Promise<void> {
    checkWait(options);
    let awaited: number | null = null;
    const step = (seen: Seen<State>): Verdict<State, undefined> => {
      const { round, closed } = seen.state;
      // A lower round is that of a store which went back: nobody opened the one that was awaited.
      if (!closed || (awaited !== null && round > awaited)) return done;
      awaited = round;
      return { wake$: this.#state.after(seen).pipe(filter((next) => !next.closed || next.round !== round)) };
    };
    await this.#settle(options, 'passed', step);
  }

  async #change(options: WaitOptions, closed: boolean): Promise<void> {
    checkWait(options);
    let tried: Seen<State> | null = null;
    // Always written, so that what was given up before and is still on its way is refused. Over a lost reply or a refusal: it is enough that
    // it was so since the first look, whoever did it; done twice it would undo what others did in between.
    const step = (seen: Seen<State>): Verdict<State, undefined> => {
      const { state, version, stored } = seen;
      if (stored) return done;
      if (tried !== null && version !== tried.version && wasReached(tried.state, state, closed)) return done;
      tried = seen;
      return { write: { round: closed && !state.closed ? state.round + 1 : state.round, closed } };
    };
    await this.#settle(options, closed ? 'closed' : 'opened', step);
  }

  #settle(
    options: WaitOptions,
    what: string,
    step: (seen: Seen<State>) => Verdict<State, undefined>,
  ): Promise<undefined> {
    const describe = (): string => `barrier "${this.#name}" was not ${what}`;
    return waiting(this.#context, options, describe, (wait) => this.#state.settle(wait, step));
  }
}

/** Whether it was closed, or open, at some moment from `before` on. */
function wasReached(before: State, now: State, closed: boolean): boolean {
  return before.closed === closed || now.closed === closed || now.round > before.round;
}
