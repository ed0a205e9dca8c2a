import type { Watched } from './wire/watched.js';

/** How a node comes to be: `container` nodes are removed by the server once their last child has gone. */
export type NodeMode = 'persistent' | 'container' | 'ephemeral' | 'ephemeral-sequential';

/** What ZooKeeper keeps about a node, as far as it is used here. */
export interface NodeStat {
  /** czxid: the transaction that created it. */
  readonly created: bigint;
  /** mzxid: the transaction that last wrote its data. */
  readonly modified: bigint;
  /** The counter that a conditional write is compared with; it restarts at 0 when the node is created again. */
  readonly version: number;
  /** Session it lives and dies with, lower-case hex; `null` for persistent and container nodes. */
  readonly owner: string | null;
  readonly dataLength: number;
}

/** A node as it was read. */
export interface Node {
  readonly stat: NodeStat;
  readonly data: Uint8Array;
}

/** A node as it was created. */
export interface Created {
  /** With its sequence, where it has one. */
  readonly path: string;
  /** As it was created; `null` where the client cannot ask for it in the same request. */
  readonly stat: NodeStat | null;
}

/**
 * Why a request failed. `unsent`: nothing left this process. `lost`: it was sent, and the connection ended before its
 * reply came. `over-limit`: larger than the server's limit of 1 MiB, which would cost the connection, so it was not sent.
 */
export type FailureCode =
  | 'unsent'
  | 'lost'
  | 'over-limit'
  | 'no-node'
  | 'node-exists'
  | 'bad-version'
  | 'not-empty'
  | 'no-children-for-ephemerals'
  | 'no-auth'
  | 'auth-failed'
  | 'expired'
  | 'bad-arguments'
  | 'other';

export interface Failure {
  readonly ok: false;
  readonly code: FailureCode;
  /** The server's own words. */
  readonly message: string;
}

/** Requests never reject: what became of one is its value. */
export type Answer<Value> = { readonly ok: true; readonly value: Value } | Failure;

/** Any change of the node under `path`; `child` when only its list of children changed. */
export interface NodeEvent {
  readonly type: 'created' | 'deleted' | 'changed' | 'child';
  readonly path: string;
}

/** What attaches another connection to the same session. */
export interface Identity {
  readonly id: string;
  readonly password: string;
}

/** A session as it is told to a server. */
export interface Standing {
  readonly identity: Identity;
  /** Last transaction that was told of; a server that is behind it refuses. 0 where nothing was told. */
  readonly seen: bigint;
}

/** What the next connection of a session takes over from the one before. */
export interface Resumption extends Standing {
  /** Watches that the server still owes to the session; `null` where the client cannot carry them over. */
  readonly watched: Watched | null;
}

/** Who is in a directory, and the transaction in which somebody last came or went (pzxid), at one moment. */
export interface Listing {
  readonly names: readonly string[];
  readonly changed: bigint;
}

/** Why a connection is over. */
export type CloseReason = 'lost' | 'unauthenticated' | 'closed';

/**
 * One connection of one session to one server: the port that the rest of this driver speaks to.
 *
 * Requests are answered in the order they were made, and events come in order with the answers (ZooKeeper's FIFO), so they
 * may be pipelined. When the connection is over everything pending is answered `lost`, exactly once. Watches are
 * one-shot, one per path and kind however often they are asked for, and end with the connection. Nothing is
 * answered or told while the transport is at work.
 */
export interface Connection {
  readonly identity: Identity;
  /** For the connection after this one. */
  readonly resumption: Resumption;
  /** Whether the watches of the connection before are in force here, so that only what changed has to be read again. */
  readonly carriesWatches: boolean;
  /** Session timeout that the server granted, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether a request made now would be sent. */
  readonly usable: boolean;
  /** Requests answered so far, to tell a busy connection from a silent one. */
  readonly answered: number;
  /** Resolves when this connection is over, also when that happened before anybody asked. */
  readonly closed: Promise<CloseReason>;

  create(path: string, data: Uint8Array, mode: NodeMode): Promise<Answer<Created>>;
  /** With `watch`, the next change of this node is told; a missing node leaves no watch. */
  get(path: string, watch: boolean): Promise<Answer<Node>>;
  /** With `watch`, the next change or the creation of this node is told. */
  exists(path: string, watch: boolean): Promise<Answer<NodeStat>>;
  /** With `watch`, the next arrival or departure of a child is told; a missing node leaves no watch. */
  children(path: string, watch: boolean): Promise<Answer<Listing>>;
  /** @param version the counter it must have, or `'any'`. */
  set(path: string, data: Uint8Array, version: number | 'any'): Promise<Answer<NodeStat>>;
  /** A `set` that only proves the session, counted apart. */
  beat(path: string): Promise<Answer<NodeStat>>;
  delete(path: string, version: number | 'any'): Promise<Answer<null>>;
  /** Takes back the watches on this path; false where the client cannot, and they stay until they fire. */
  unwatch(path: string): boolean;

  /** The one listener for watch events; what came before it is told then. */
  onEvent(listener: (event: NodeEvent) => void): void;
  /** Drops the connection at once and keeps the session on the server. */
  sever(): void;
  /** Ends the session on the server, and the connection with it; false where only another connection can, and when the server did not answer. */
  end(): Promise<boolean>;
}

/** A numeric address; IPv6 without brackets. */
export interface Address {
  /** The host as it was given, which a certificate has to be for. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** One try to open one connection. */
export interface Attempt {
  readonly address: Address;
  readonly sessionTimeoutMs: number;
  /** How long this try may take, in milliseconds. */
  readonly limitMs: number;
  /** The session to attach to; `null` asks for a new one. */
  readonly resume: Resumption | null;
  readonly signal: AbortSignal;
}

/**
 * Why there is no connection. `expired`: the session to be resumed is over, by the server's word. `behind`: the server knows the session and
 * not all that it saw. `untrusted`: the server did not prove who it is. `read-only`: it has no quorum.
 */
export type AttemptFailure =
  | 'unreachable'
  | 'silent'
  | 'not-zookeeper'
  | 'not-tls'
  | 'untrusted'
  | 'unauthenticated'
  | 'read-only'
  | 'behind'
  | 'expired'
  | 'aborted';

export type AttemptResult =
  | { readonly ok: true; readonly connection: Connection }
  | {
      readonly ok: false;
      readonly failure: AttemptFailure /** More of it, where there is any. */;
      readonly detail?: string;
    };

/** Opens connections. */
export interface Transport {
  connect(attempt: Attempt): Promise<AttemptResult>;
  /** Ends a session on the server, whoever ends it; false when this server could not be asked. Never rejects. */
  endSession(address: Address, standing: Standing, signal: AbortSignal): Promise<boolean>;
}
