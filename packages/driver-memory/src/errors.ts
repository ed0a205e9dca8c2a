import { CoordinationError } from '@concordat/core/spi';
import { isWrite, type Operation, type Refusal } from './store/protocol.js';

/** The connection was lost before the reply came. */
export class DisconnectedError extends Error {
  override readonly name = 'DisconnectedError';
}

/** The store refused a request; nothing of it was applied. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(readonly refusal: Refusal) {
    super(refusal);
  }
}

/** Why a request that was sent has no answer, in our terms. */
export function translate(error: RefusedError | DisconnectedError, operation: Operation): CoordinationError {
  if (error instanceof RefusedError) return refusals[error.refusal](error);
  if (!isWrite(operation)) return unavailableError(error);
  return new CoordinationError('OUTCOME_UNKNOWN', 'the connection was lost before the reply came', { cause: error });
}

export function unavailableError(cause?: unknown): CoordinationError {
  return new CoordinationError(
    'UNAVAILABLE',
    'the memory store cannot be reached',
    cause === undefined ? {} : { cause },
  );
}

export function closedError(): CoordinationError {
  return new CoordinationError('CLOSED', 'this backend is closed');
}

/** The store's word that a session is over. */
export function endedError(cause?: unknown): CoordinationError {
  return new CoordinationError('SESSION_LOST', 'the store ended the session', cause === undefined ? {} : { cause });
}

const refusals: Readonly<Record<Refusal, (cause: RefusedError) => CoordinationError>> = {
  'no-session': endedError,
  'too-large': (cause) => new CoordinationError('TOO_LARGE', 'the store takes no value of this size', { cause }),
};
