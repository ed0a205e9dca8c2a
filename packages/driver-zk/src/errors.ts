import { CoordinationError, type CoordinationErrorCode } from '@concordat/core/spi';
import type { Answer, Failure, FailureCode } from './connection.js';

const codes: Readonly<Record<FailureCode, CoordinationErrorCode>> = {
  unsent: 'UNAVAILABLE',
  lost: 'UNAVAILABLE',
  'over-limit': 'TOO_LARGE',
  'no-node': 'BACKEND',
  'node-exists': 'BACKEND',
  'bad-version': 'BACKEND',
  'not-empty': 'BACKEND',
  'no-children-for-ephemerals': 'INVALID_ARGUMENT',
  'no-auth': 'PERMISSION_DENIED',
  'auth-failed': 'UNAUTHENTICATED',
  expired: 'SESSION_LOST',
  'bad-arguments': 'INVALID_ARGUMENT',
  other: 'BACKEND',
};

/** The error of a read, or of a request that certainly did nothing. */
export function readError(failure: Failure, path: string): CoordinationError {
  return new CoordinationError(codes[failure.code], `${path}: ${failure.message}`);
}

/** The error of a write: when its reply was lost nobody knows what became of it. */
export function writeError(failure: Failure, path: string): CoordinationError {
  if (failure.code !== 'lost') return readError(failure, path);
  return new CoordinationError('OUTCOME_UNKNOWN', `${path}: ${failure.message}`);
}

/** What a read answered, or `null` where there is no node; any other failure throws. */
export function found<Value>(answer: Answer<Value>, path: string): Value | null {
  if (answer.ok) return answer.value;
  if (answer.code === 'no-node') return null;
  throw readError(answer, path);
}

/** Failures that end a watch; all others pass, and it goes on. */
export function isFatal(failure: Failure): boolean {
  const code = codes[failure.code];
  return code === 'PERMISSION_DENIED' || code === 'UNAUTHENTICATED' || code === 'INVALID_ARGUMENT';
}
