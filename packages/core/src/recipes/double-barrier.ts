import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import type { WaitOptions } from '../limits.js';
import { checkWait } from '../settings.js';
import type { Wait } from '../wait.js';
import { waiting } from '../waiting.js';
import { Participation } from './double-barrier/participation.js';

const mostParties = 1_000;

/**
 * A double barrier: as many as `parties` start together and finish together, round after round. One object is one participant.
 *
 * Who is there, and who has left, is decided in one register by compare-and-set. So whoever timed out, was aborted or died before the round opened
 * is not counted, and whoever was there when it opened has passed. The surplus, and whoever comes while a round is not left by all, waits for the next one.
 * Nobody waits for the dead: a participant lives as long as its session.
 *
 * Not a guarantee: that all others are still alive when `enter` resolves. One that dies in that moment may have been counted.
 *
 * Errors of every call: `TIMEOUT` (how many are there in its message), the caller's `signal.reason`, `CLOSED`, `INVALID_ARGUMENT` before anything
 * is sent, `UNAUTHENTICATED`, `PERMISSION_DENIED`, `DRIVER_UNAVAILABLE`, `BACKEND`. Outages and lost sessions are outlasted, within the caller's limit.
 *
 * Costs: requests per participant do not depend on `parties`, but for the one who completes the round, who looks at the session of each of the others, and
 * for tries that others were quicker than. Each change is one notification for each who waits, of about 90 bytes for each participant: meant for tens, good for hundreds.
 *
 * Source: the double barrier of the ZooKeeper paper (§2.4), in one register (docs/spec/double-barrier.md); curator#838, #753, #1055.
 *
 * @example
 * ```ts
 * import type { Coordinator } from '@concordat/core';
 *
 * async function worker(coordinator: Coordinator, compute: (step: number) => Promise<void>): Promise<void> {
 *   const barrier = coordinator.doubleBarrier('simulation', 4);
 *   for (let step = 0; step < 10; step++) {
 *     await barrier.enter({ timeoutMs: 60_000 });
 *     await compute(step);
 *     await barrier.leave({ timeoutMs: 60_000 });
 *   }
 * }
 * ```
 */
export interface DoubleBarrier {
  /** How many make a round, from 1 to 1,000; all have to say the same. */
  readonly parties: number;
  /**
   * Resolves when `parties` participants are there, and from then on this one is inside, until it leaves.
   *
   * When it rejects, this participant is outside, and is taken out in the background, which `close()` waits for. Should the round have opened with it in that very
   * moment, it has been counted, and is then out like one that left.
   *
   * What an earlier `enter` or `leave` that rejected left behind has to be taken out first: a refusal of that rejects this call, too, and it goes on in the background.
   *
   * Over the loss of its session it goes on waiting, counted once (event `requeued`). When the others took it for dead only after the round had opened with
   * it, it resolves, and `leave` tells of it.
   *
   * @throws {CoordinationError} `ALREADY_EXISTS` unless outside; `CONFLICT` while a round of other parties is alive.
   */
  enter(options?: WaitOptions): Promise<void>;
  /**
   * Leaves, and resolves when every other participant of the round has left or died.
   *
   * From the call on this participant is outside: it is taken out in the background when the limit ends the wait before, or that was refused, and `TIMEOUT` says how many are
   * still inside. Only a call that is refused at once (limit 0, a signal that was aborted before) changes nothing.
   *
   * @throws {CoordinationError} `NOT_HELD` unless inside; `GRANT_LOST` when its session was lost and the others took it for dead: they may have left without it. So it
   * does when the store went back to before the round, and cannot tell who has left.
   */
  leave(options?: WaitOptions): Promise<void>;
}

/** One participant of the double barrier on `name`. */
export function doubleBarrier(context: Context, name: string, parties: number): DoubleBarrier {
  if (!Number.isInteger(parties) || parties < 1 || parties > mostParties)
    throw new CoordinationError('INVALID_ARGUMENT', 'a double barrier is for 1 to 1,000 parties');
  return new Participant(context, name, parties);
}

class Participant implements DoubleBarrier {
  readonly parties: number;
  readonly #context: Context;
  readonly #name: string;
  #inside: Participation | null = null;
  #between = false;
  #last: Participation | null = null;

  constructor(context: Context, name: string, parties: number) {
    this.#context = context;
    this.#name = name;
    this.parties = parties;
  }

  async enter(options: WaitOptions = {}): Promise<void> {
    checkWait(options);
    if (this.#inside !== null || this.#between) throw this.#error('ALREADY_EXISTS', 'is not outside');
    const participation = new Participation(this.#context, this.#name, this.parties);
    this.#between = true;
    const entering = async (wait: Wait): Promise<void> => {
      // One object is one participant: what it left behind would be counted as another.
      if (this.#last !== null) await wait.race(this.#last.takenBack());
      this.#last = participation;
      await participation.enter(wait);
    };
    try {
      await waiting(this.#context, options, () => participation.describe('entered'), entering);
      this.#inside = participation;
    } finally {
      this.#between = false;
    }
  }

  async leave(options: WaitOptions = {}): Promise<void> {
    checkWait(options);
    const participation = this.#inside;
    if (participation === null) throw this.#error('NOT_HELD', 'is not inside');
    const leaving = async (wait: Wait): Promise<void> => {
      this.#inside = null;
      this.#between = true;
      try {
        await participation.leave(wait);
      } finally {
        this.#between = false;
      }
    };
    await waiting(this.#context, options, () => participation.describe('left by all'), leaving);
  }

  #error(code: 'ALREADY_EXISTS' | 'NOT_HELD', what: string): CoordinationError {
    return new CoordinationError(code, `this participant of double barrier "${this.#name}" ${what}`);
  }
}
