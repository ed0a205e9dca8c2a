import type { CoordinationError, CoordinationErrorCode } from './errors.js';
import type { SessionPhase } from './session-state.js';

/** What every event says. */
interface EventBase {
  /** When, in milliseconds on the scale of `performance.now()`. */
  readonly atMs: number;
  /** Sessions so far, this one included; starts at 1. */
  readonly epoch: number;
  /** The store's name for the session, or `null` while there is none. */
  readonly session: string | null;
}

/** A transition of the session, told after `session$` was; every one of them, in their order. */
export interface SessionEvent extends EventBase {
  /** `session-` and the state it is in now. */
  readonly type: `session-${SessionPhase}`;
  /** Why it was lost; `null` for every other transition. */
  readonly reason: CoordinationError | null;
}

/**
 * A request of a recipe is over, as the recipe saw it: waiting for the session and asking again included, heartbeats and watches not.
 *
 * Entering a line lasts until its outcome is certain, and so over an outage. What the close of the coordinator cut short is not told.
 */
export interface RequestEvent extends EventBase {
  /** A request is over. */
  readonly type: 'request';
  /** What was asked of the driver, such as `get`, `put`, `enter` or `leave` (members of `Backend`); `null` when it never came to that. */
  readonly operation: string | null;
  /** From the call until it was over, in milliseconds. */
  readonly durationMs: number;
  /** How it failed; `null` when it was answered. */
  readonly code: CoordinationErrorCode | null;
}

/** What every step of a contender says. */
interface LineEventBase extends EventBase {
  /** What kind of thing it contends for, such as `lock`, `semaphore` or `election`. */
  readonly primitive: string;
  /** The name that was asked for, such as `reports/nightly`. */
  readonly name: string;
  /** Name of its entry in the store, or `null` before there is one. */
  readonly entry: string | null;
  /** Token of what it was granted, where it was. */
  readonly token: bigint | null;
  /** What led to this step, where it says so. */
  readonly reason: unknown;
}

/** Its entry stands in the line: `created`, in other systems' logs. */
export interface EntryCreatedEvent extends LineEventBase {
  /** It stands in the line. */
  readonly type: 'entry-created';
  readonly entry: string;
}

/** The entry that it waited for is gone, or has been granted: it looks again. */
export interface WatchFiredEvent extends LineEventBase {
  /** It was woken. */
  readonly type: 'watch-fired';
  readonly entry: string;
}

/** It was granted. Exactly one {@link GrantLostEvent}, or {@link ReleasedEvent} with `heldMs`, follows. */
export interface AcquiredEvent extends LineEventBase {
  /** It was granted. */
  readonly type: 'acquired';
  readonly entry: string;
  readonly token: bigint;
  /** From the call until the grant, in milliseconds: outages and lost places included. */
  readonly waitedMs: number;
}

/**
 * Its entry is gone from the store. `reason` is `null` when the store said so, and `SESSION_LOST` or `CLOSED` when it
 * goes with its session.
 */
export interface ReleasedEvent extends LineEventBase {
  /** Its entry is gone. */
  readonly type: 'released';
  readonly entry: string;
  /** From the grant until it was given back, in milliseconds; `null` for an entry that was not, or no longer, granted. */
  readonly heldMs: number | null;
}

/** What it held is over, without having been given back. */
export interface GrantLostEvent extends LineEventBase {
  /** It holds nothing any more. */
  readonly type: 'grant-lost';
  readonly entry: string;
  readonly token: bigint;
  /** From the grant until the loss, in milliseconds. */
  readonly heldMs: number;
  /** `GRANT_LOST`; its cause is `SESSION_LOST`, or `NOT_FOUND` for an entry that was deleted by hand. */
  readonly reason: CoordinationError;
}

/** It lost its place before it was granted, and enters again at the end; `entry` is what stood for it, `null` when it did not get that far. */
export interface RequeuedEvent extends LineEventBase {
  /** It starts again. */
  readonly type: 'requeued';
  readonly reason: CoordinationError;
}

/** It ended without a grant: by the caller's reason, or with `null` a try that found somebody in the line. What it had entered is being removed. */
export interface GaveUpEvent extends LineEventBase {
  /** It waits no more. */
  readonly type: 'gave-up';
  /** From the call until the end, in milliseconds. */
  readonly waitedMs: number;
}

/** An entry could not be removed so far; tried again until its session is over. */
export interface CleanupFailedEvent extends LineEventBase {
  /** Its entry is still there. */
  readonly type: 'cleanup-failed';
  readonly entry: string;
}

/** A step of one contender in a line, told apart by `type`. */
export type LineEvent =
  | EntryCreatedEvent
  | WatchFiredEvent
  | AcquiredEvent
  | ReleasedEvent
  | GrantLostEvent
  | RequeuedEvent
  | GaveUpEvent
  | CleanupFailedEvent;

/**
 * Everything that happens to a coordinator, as data: told apart by `type`.
 *
 * An event is told in the turn in which it happens, and never holds a value or a credential. Types may be added in a minor release, so
 * pass over those you do not know.
 *
 * @example
 * ```ts
 * import type { Coordinator } from '@concordat/core';
 *
 * function logTransitions(coordinator: Coordinator, log: (fields: object) => void): void {
 *   coordinator.events$.subscribe((event) => {
 *     if (event.type === 'acquired') log({ event: event.type, name: event.name, token: String(event.token), waitedMs: event.waitedMs });
 *     if (event.type === 'session-lost') log({ event: event.type, session: event.session, code: event.reason?.code });
 *   });
 * }
 * ```
 */
export type CoordinationEvent = SessionEvent | RequestEvent | LineEvent;
