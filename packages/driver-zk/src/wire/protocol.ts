import type { FailureCode, NodeEvent } from '../connection.js';

/** Operations, by the numbers that ZooKeeper's protocol gives them (ZooDefs.OpCode). */
export const operation = {
  create: 1,
  delete: 2,
  exists: 3,
  getData: 4,
  setData: 5,
  sync: 9,
  ping: 11,
  getChildren2: 12,
  check: 13,
  multi: 14,
  create2: 15,
  removeWatches: 18,
  createContainer: 19,
  createTtl: 21,
  auth: 100,
  setWatches: 101,
  sasl: 102,
  addWatch: 106,
  closeSession: -11,
  error: -1,
} as const;

/** Numbers of requests that are not counted one by one, as both sides know them. */
export const reservedXid = { notification: -1, ping: -2, auth: -4, setWatches: -8 } as const;

/** An event that only says how the server sees the connection; it names no path. */
export const noEvent = -1;

/** Types of watch events (Watcher.Event.EventType). */
export const eventTypes: ReadonlyMap<number, NodeEvent['type']> = new Map([
  [1, 'created'],
  [2, 'deleted'],
  [3, 'changed'],
  [4, 'child'],
]);

/** The error of a reply about a node that does not exist. */
export const noNode = -101;

// KeeperException.Code.
const failures: ReadonlyMap<number, readonly [FailureCode, string]> = new Map([
  [-6, ['other', 'this server does not know the operation']],
  [-8, ['bad-arguments', 'the server refused the arguments']],
  [noNode, ['no-node', 'no such node']],
  [-102, ['no-auth', 'not permitted']],
  [-103, ['bad-version', 'another version']],
  [-108, ['no-children-for-ephemerals', 'an ephemeral node has no children']],
  [-110, ['node-exists', 'the node exists']],
  [-111, ['not-empty', 'the node has children']],
  [-112, ['expired', 'the session expired']],
  [-114, ['bad-arguments', 'an ACL that this server does not take, or nobody is authenticated on this connection']],
  [-115, ['auth-failed', 'authentication failed']],
  // The server closes the connection that the session moved away from.
  [-118, ['lost', 'the session moved to another connection']],
  [-121, ['other', 'no such watch']],
  [-124, ['auth-failed', 'this server wants SASL authentication']],
  [-125, ['other', 'a quota is exceeded']],
  [-127, ['other', 'the server throttles requests']],
]);

/** What an error number of a reply stands for. */
export function failureOf(error: number): readonly [FailureCode, string] {
  return failures.get(error) ?? ['other', `the server answered with error ${String(error)}`];
}
