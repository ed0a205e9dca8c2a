import { CoordinationError, type CoordinationEvent, type LineEvent } from '@concordat/core';

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
  const fields: Written = { event: event.type, epoch: event.epoch };
  if (event.session !== null) fields.session = event.session;
  if (event.type === 'request') {
    fields.durationMs = event.durationMs;
    if (event.operation !== null) fields.operation = event.operation;
    if (event.code !== null) fields.code = event.code;
    return fields;
  }
  if ('primitive' in event) writeStep(event, fields);
  if (event.reason instanceof Error) {
    fields.code = CoordinationError.is(event.reason) ? event.reason.code : event.reason.name;
    fields.message = event.reason.message;
  }
  return fields;
}

type Written = { -readonly [Name in keyof LogFields]: LogFields[Name] };

function writeStep(event: LineEvent, fields: Written): void {
  fields.primitive = event.primitive;
  fields.name = event.name;
  if (event.entry !== null) fields.entry = event.entry;
  if (event.token !== null) fields.token = String(event.token);
  if ('waitedMs' in event) fields.waitedMs = event.waitedMs;
  if ('heldMs' in event && event.heldMs !== null) fields.heldMs = event.heldMs;
}
