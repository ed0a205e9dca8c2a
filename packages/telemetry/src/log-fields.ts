import { CoordinationError, type CoordinationEvent } from '@concordat/core';

/** Flat and fit for JSON: tokens are text, failures a code and a message. Absent fields are left out. */
export interface LogFields {
  /** What happened, such as `acquired`; see `CoordinationEvent`. */
  readonly event: string;
  /** Sessions so far, this one included. */
  readonly epoch: number;
  /** The store's name for the session. */
  readonly session?: string;
  /** What kind of thing it was about, such as `lock`. */
  readonly primitive?: string;
  /** The name that was asked for. */
  readonly name?: string;
  /** Name of the entry in the store. */
  readonly entry?: string;
  /** As digits: JSON numbers end at 2^53. */
  readonly token?: string;
  /** What was asked of the store. */
  readonly operation?: string;
  /** How long a request took, in milliseconds. */
  readonly durationMs?: number;
  /** From the call until the grant or the end without one, in milliseconds. */
  readonly waitedMs?: number;
  /** From the grant until its end, in milliseconds. */
  readonly heldMs?: number;
  /** Code of the error, or the name of one that is not ours. */
  readonly code?: string;
  /** The error's message; of ours it holds neither values nor credentials. */
  readonly message?: string;
}

/**
 * An event as the fields of a structured log line.
 *
 * @example
 * ```ts
 * import { logFields } from '@concordat/telemetry';
 * import type { Coordinator } from '@concordat/core';
 * import { filter } from 'rxjs';
 *
 * function log(coordinator: Coordinator): void {
 *   const transitions$ = coordinator.events$.pipe(filter(({ type }) => type !== 'request'));
 *   transitions$.subscribe((event) => console.log(JSON.stringify(logFields(event))));
 * }
 * ```
 */
export function logFields(event: CoordinationEvent): LogFields {
  const { type, atMs: _, session, ...rest } = event;
  const fields: Record<string, unknown> = { event: type, session, ...rest };
  if ('reason' in event) {
    const { reason } = event;
    delete fields['reason'];
    if (reason instanceof Error) {
      fields['code'] = CoordinationError.is(reason) ? reason.code : reason.name;
      fields['message'] = reason.message;
    }
  }
  if ('token' in event && event.token !== null) fields['token'] = String(event.token);
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given) as unknown as LogFields;
}
