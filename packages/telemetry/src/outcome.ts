import { CoordinationError } from '@concordat/core';

/** How a wait or a hold ended, in few words: fit for a label. */
export interface Outcome {
  readonly outcome: 'acquired' | 'taken' | 'timeout' | 'aborted' | 'error' | 'released' | 'lost';
  /** The code of a failure. */
  readonly errorType?: string;
}

/** Of a wait that ended without a grant. */
export function outcomeOf(reason: unknown): Outcome {
  if (reason === null) return { outcome: 'taken' };
  if (!CoordinationError.is(reason)) return { outcome: 'aborted' };
  return reason.code === 'TIMEOUT' ? { outcome: 'timeout' } : { outcome: 'error', errorType: reason.code };
}

/** What ended a grant: `session_lost`, or `not_found` for an entry that was deleted by hand. */
export function causeOf(reason: CoordinationError): string {
  const { cause } = reason;
  return (CoordinationError.is(cause) ? cause.code : reason.code).toLowerCase();
}
