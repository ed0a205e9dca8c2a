import { expect, it } from 'vitest';
import { toCoordinationError } from '../src/errors.js';
import { StatusError } from '../src/protocol.js';

it.each([
  [14, 'Connection dropped', 'OUTCOME_UNKNOWN', 'UNAVAILABLE'],
  [14, 'No connection established. Last error: connect ECONNREFUSED', 'UNAVAILABLE', 'UNAVAILABLE'],
  [14, 'etcdserver: request timed out', 'OUTCOME_UNKNOWN', 'UNAVAILABLE'],
  [4, 'Deadline exceeded', 'OUTCOME_UNKNOWN', 'UNAVAILABLE'],
  [1, 'Cancelled', 'OUTCOME_UNKNOWN', 'UNAVAILABLE'],
  [2, 'context deadline exceeded', 'OUTCOME_UNKNOWN', 'UNAVAILABLE'],
  [13, 'RST_STREAM', 'OUTCOME_UNKNOWN', 'UNAVAILABLE'],
  [8, 'etcdserver: too many requests', 'UNAVAILABLE', 'UNAVAILABLE'],
  [8, 'etcdserver: mvcc: database space exceeded', 'BACKEND', 'BACKEND'],
  [8, 'grpc: received message larger than max (3 vs. 2)', 'TOO_LARGE', 'TOO_LARGE'],
  [3, 'etcdserver: request is too large', 'TOO_LARGE', 'TOO_LARGE'],
  [3, 'etcdserver: revision of auth store is old', 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
  [3, 'etcdserver: authentication failed, invalid user ID or password', 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
  [3, 'etcdserver: key is not provided', 'INVALID_ARGUMENT', 'INVALID_ARGUMENT'],
  [5, 'etcdserver: requested lease not found', 'SESSION_LOST', 'SESSION_LOST'],
  [7, 'etcdserver: permission denied', 'PERMISSION_DENIED', 'PERMISSION_DENIED'],
  [16, 'etcdserver: invalid auth token', 'UNAUTHENTICATED', 'UNAUTHENTICATED'],
  [12, 'unknown method', 'UNSUPPORTED', 'UNSUPPORTED'],
  [99, 'something new', 'BACKEND', 'BACKEND'],
])('maps status %i "%s" of a write to %s and of a read to %s', (code, details, write, read) => {
  const status = new StatusError(code, details);
  expect(toCoordinationError(status, 'write')).toMatchObject({ code: write, cause: status });
  expect(toCoordinationError(status, 'read')).toMatchObject({ code: read, cause: status });
});

it('takes the word of whoever knows that nothing of a write was applied', () => {
  const unsent = new StatusError(4, 'too late', true);
  expect(toCoordinationError(unsent, 'write').code).toBe('UNAVAILABLE');
});

it('maps what is no status to a fault of the client', () => {
  expect(toCoordinationError(new TypeError('x'), 'write').code).toBe('BACKEND');
});
