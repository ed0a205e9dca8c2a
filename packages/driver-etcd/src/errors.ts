import { CoordinationError, type CoordinationErrorCode } from '@concordat/core/spi';
import { DistrustError, StatusError, status } from './protocol.js';

/** Whether a request asks or changes something: decides what a lost reply means. */
export type RequestKind = 'read' | 'write';

// Without a reply nobody knows whether it was applied. UNKNOWN too: etcd before 3.5 says so when it lost its leader.
const undetermined: ReadonlySet<number> = new Set([
  status.cancelled,
  status.unknown,
  status.deadlineExceeded,
  status.aborted,
  status.internal,
  status.unavailable,
  status.dataLoss,
]);

const byCode: ReadonlyMap<number, CoordinationErrorCode> = new Map([
  [status.invalidArgument, 'INVALID_ARGUMENT'],
  [status.permissionDenied, 'PERMISSION_DENIED'],
  [status.unimplemented, 'UNSUPPORTED'],
  [status.unauthenticated, 'UNAUTHENTICATED'],
]);

// Said to a token of JWT from before any change of a user or a role (etcd's issue 13300).
const outdated = 'revision of auth store is old';

// Where one code stands for different things, the text decides; these texts are part of etcd's client protocol.
const byText: readonly (readonly [number, string, CoordinationErrorCode])[] = [
  [status.notFound, 'requested lease not found', 'SESSION_LOST'],
  [status.invalidArgument, 'request is too large', 'TOO_LARGE'],
  [status.invalidArgument, 'authentication failed', 'UNAUTHENTICATED'],
  [status.invalidArgument, 'user name is empty', 'UNAUTHENTICATED'],
  [status.invalidArgument, outdated, 'UNAUTHENTICATED'],
  [status.resourceExhausted, 'message larger than max', 'TOO_LARGE'],
  [status.resourceExhausted, 'too many requests', 'UNAVAILABLE'],
  [status.resourceExhausted, 'database space exceeded', 'BACKEND'],
];

// What the client library says when it had no connection to write to.
const neverSent = /^(No connection established|Name resolution failed|Channel closed before call started)/;

/** Maps what a request ended with; `OUTCOME_UNKNOWN` exactly when a write may have been applied, now or later. */
export function toCoordinationError(cause: unknown, kind: RequestKind): CoordinationError {
  if (CoordinationError.is(cause)) return cause;
  if (!(cause instanceof StatusError)) return new CoordinationError('BACKEND', 'the etcd client failed', { cause });
  return new CoordinationError(codeOf(cause, kind), `etcd: ${plain(cause.details)}`, { cause });
}

// The client library ends some of its messages with an empty note.
function plain(details: string): string {
  return details.replace(/\s*Resolution note:\s*$/, '');
}

/** True when the store does not know this lease: it expired or was revoked, for good. */
export function isUnknownLease(error: unknown): boolean {
  return error instanceof StatusError && textCode(error) === 'SESSION_LOST';
}

/** True for the errors that waiting does not cure. */
export function isRefusal(error: CoordinationError): boolean {
  return refusals.has(error.code);
}

/** True when a token is not good, or not any more: a new one may be. */
export function isStaleToken(error: StatusError): boolean {
  if (error instanceof DistrustError) return false;
  return error.code === status.unauthenticated || textCode(error) === 'UNAUTHENTICATED';
}

/** True when the token was good, but users or roles were changed after it was given. */
export function isOutdated(error: StatusError): boolean {
  return error.code === status.invalidArgument && error.details.includes(outdated);
}

const refusals: ReadonlySet<CoordinationErrorCode> = new Set([
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'INVALID_ARGUMENT',
]);

function codeOf(error: StatusError, kind: RequestKind): CoordinationErrorCode {
  const known = textCode(error) ?? byCode.get(error.code);
  if (known !== undefined) return known;
  const unclear = undetermined.has(error.code) || error.code === status.resourceExhausted;
  if (!unclear) return 'BACKEND';
  return kind === 'read' || error.unsent || neverSent.test(error.details) ? 'UNAVAILABLE' : 'OUTCOME_UNKNOWN';
}

function textCode(error: StatusError): CoordinationErrorCode | undefined {
  return byText.find(([code, text]) => code === error.code && error.details.includes(text))?.[2];
}
