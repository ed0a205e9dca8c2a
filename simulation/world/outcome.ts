import { CoordinationError, type CoordinationErrorCode } from '@concordat/core';

/** How a call ended: with a value, or without one. */
export type Outcome<T> =
  | { readonly value: T }
  | { readonly code: CoordinationErrorCode | 'ABORTED'; readonly message: string };

/** Waits for a call; an error that is neither ours nor the caller's abort is passed on. */
export async function outcomeOf<T>(call: Promise<T>, signal: AbortSignal | undefined): Promise<Outcome<T>> {
  try {
    return { value: await call };
  } catch (error) {
    if (signal?.aborted === true && error === signal.reason) return { code: 'ABORTED', message: '' };
    if (!CoordinationError.is(error)) throw error;
    return { code: error.code, message: error.message };
  }
}

/** What only faults explain. */
export const byFaults: ReadonlySet<string> = new Set<CoordinationErrorCode>([
  'UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'SESSION_LOST',
  'GRANT_LOST',
]);
