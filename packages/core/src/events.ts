import type { CoordinationError } from './errors.js';
import type { SessionPhase } from './session-state.js';

/** What every event says. */
interface EventBase {
  /** When, on the scale of `performance.now()`. */
  readonly atMs: number;
  /** Sessions so far. */
  readonly epoch: number;
  /** The store's name for the session, or `null` while there is none. */
  readonly session: string | null;
}

/** A transition of the session. */
export interface SessionEvent extends EventBase {
  readonly type: `session-${SessionPhase}`;
  readonly reason: CoordinationError | null;
}

/**
 * A step of one contender in a line.
 *
 * - `entry-created`: it stands in the line. `watch-fired`: the entry it waited for is gone.
 * - `acquired`: it was granted; `token` says with what. `released`: its entry is gone for good.
 * - `grant-lost`: what it held is over, `reason` says why. `requeued`: it lost its place and enters again.
 * - `gave-up`: it ended without a grant; its entry is being removed.
 * - `cleanup-failed`: an entry could not be removed so far; tried again until its session is over.
 */
export interface LineEvent extends EventBase {
  readonly type:
    | 'entry-created'
    | 'watch-fired'
    | 'acquired'
    | 'released'
    | 'grant-lost'
    | 'requeued'
    | 'gave-up'
    | 'cleanup-failed';
  /** Directory of the line and the name it was asked by, such as `lock` and `reports`. */
  readonly primitive: string;
  readonly name: string;
  /** Name of the entry in the store, or `null` before there is one. */
  readonly entry: string | null;
  readonly token: bigint | null;
  readonly reason: unknown;
}

/** Everything that happens to a coordinator, as data; see {@link SessionEvent} and {@link LineEvent}. */
export type CoordinationEvent = SessionEvent | LineEvent;
