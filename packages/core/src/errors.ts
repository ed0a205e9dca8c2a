/**
 * What went wrong, as a closed set to branch on; adding a code is a minor release.
 *
 * - `SESSION_LOST`: the session that the call depended on is over. Retryable: a new session follows by itself.
 * - `GRANT_LOST`: what was held is not held any more (session over, or its entry deleted by hand).
 * - `NOT_HELD`: the grant was given back by its holder.
 * - `TIMEOUT`: the caller's own `timeoutMs` passed.
 * - `CONFLICT`: a compare-and-set did not hold. `NOT_FOUND`, `ALREADY_EXISTS`: as they say.
 * - `INVALID_ARGUMENT`, `TOO_LARGE`: refused before anything was sent.
 * - `UNAUTHENTICATED`, `PERMISSION_DENIED`: the store refused these credentials, or this call.
 * - `UNAVAILABLE`: the store did not answer in time and nothing was written. Retryable.
 * - `OUTCOME_UNKNOWN`: a write was sent and its reply was lost; it may or may not have been applied. Never retryable blindly.
 * - `UNSUPPORTED`: this store cannot do it. `DRIVER_UNAVAILABLE`: the driver could not be loaded; the message names the remedy.
 * - `CLOSED`: this coordinator was closed. `BACKEND`: the store answered something we do not know; see `cause`.
 */
export type CoordinationErrorCode =
  | 'SESSION_LOST'
  | 'GRANT_LOST'
  | 'NOT_HELD'
  | 'TIMEOUT'
  | 'CONFLICT'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'INVALID_ARGUMENT'
  | 'TOO_LARGE'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'UNAVAILABLE'
  | 'OUTCOME_UNKNOWN'
  | 'UNSUPPORTED'
  | 'CLOSED'
  | 'DRIVER_UNAVAILABLE'
  | 'BACKEND';

const retryableCodes: ReadonlySet<CoordinationErrorCode> = new Set(['SESSION_LOST', 'UNAVAILABLE']);
const brand = Symbol.for('@concordat/core/CoordinationError');

/**
 * The only error this library raises on purpose; branch on {@link CoordinationError.code}, never on the message.
 *
 * Messages name keys, hosts and durations, never values or credentials.
 *
 * @example
 * ```ts
 * import { CoordinationError } from '@concordat/core';
 *
 * function isWorthAnotherTry(error: unknown): boolean {
 *   return CoordinationError.is(error) && error.retryable;
 * }
 * ```
 */
export class CoordinationError extends Error {
  override readonly name = 'CoordinationError';
  /** What went wrong; see {@link CoordinationErrorCode}. */
  readonly code: CoordinationErrorCode;
  /** True when the same call may be made again as it is: nothing was written and the cause passes. */
  readonly retryable: boolean;

  constructor(code: CoordinationErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(`[${code}] ${message}`, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.retryable = retryableCodes.has(code);
    Object.defineProperty(this, brand, { value: true });
  }

  /** Tells ours from others; unlike `instanceof` it survives two copies of this package in one process. */
  static is(value: unknown, code?: CoordinationErrorCode): value is CoordinationError {
    if (typeof value !== 'object' || value === null || !(brand in value)) return false;
    return code === undefined || ('code' in value && value.code === code);
  }
}

/** What every call of a closed coordinator is told. */
export function closedError(): CoordinationError {
  return new CoordinationError('CLOSED', 'this coordinator is closed');
}

/** What an error says, to be part of another one's message. */
export function withoutCode({ message }: CoordinationError): string {
  return message.replace(/^\[\w+\] /, '');
}
