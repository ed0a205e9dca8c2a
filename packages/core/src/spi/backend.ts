import type { Observable } from 'rxjs';
import type { Call } from './call.js';

/** Path of a register or a directory, relative to the namespace; encoded by core, so a driver only prefixes it. */
export type Key = string;

/**
 * What an ordered entry is for. A closed set: each driver has names for it, so that other languages understand the entries
 * (Curator's names on ZooKeeper, Go's layout on etcd).
 *
 * A lease says how many permits there are, and a member who it is: one ASCII segment, encoded by core, without a colon. So a line
 * tells without its data who disagrees on the number, and who has the same name.
 */
export type Kind = 'lock' | 'latch' | 'read' | 'write' | `lease:${number}` | `member:${string}`;

/** A stored value with its versions. */
export interface Register {
  /** 1 to 1,000,000 bytes; of an entry also none. */
  readonly value: Uint8Array;
  /** Rises with every write of this key, also over a deletion; opaque otherwise. 0 is a version. */
  readonly version: bigint;
  /** Where its creation stands in the store's total order. */
  readonly created: bigint;
  /** Session that it lives and dies with; `null` for a persistent one. */
  readonly owner: string | null;
}

/** `expect`: store only when the register is absent, has exactly this version, or whatever it is. */
export interface PutOptions {
  /** What has to be there now; see above. */
  readonly expect: 'absent' | 'any' | bigint;
  /** Lives and dies with this session; only together with `expect: 'absent'`. */
  readonly ephemeral?: boolean;
}

/** A refusal carries what is there now, so that nobody needs a second read to know why. */
export type PutResult =
  | { readonly stored: true; readonly register: Register }
  | { readonly stored: false; readonly current: Register | null };

/** Delete only this version, or only what this session owns. */
export interface DeleteOptions {
  /** Only this version. */
  readonly expect?: bigint;
  /** Only what this session owns. */
  readonly owner?: string;
}

/** `deleted: false` means nothing was there (`current: null`) or the condition did not hold. */
export type DeleteResult = { readonly deleted: true } | { readonly deleted: false; readonly current: Register | null };

/**
 * How fresh a read has to be. `linearizable`: includes everything answered before the call, to anybody. `session`: never
 * older than what this session saw before.
 */
export type Consistency = 'linearizable' | 'session';

/** One child of a directory. */
export interface Child {
  /** Its last segment or segments, below the directory. */
  readonly name: string;
  /** What kind of entry, or `null` for a register or a foreign name. */
  readonly kind: Kind | null;
  /**
   * Creation in the store's order: an entry of this name with another one is another entry, of a holder who left and stands in line again, say.
   * `null` only without data, from a driver that never uses a name twice.
   */
  readonly created: bigint | null;
  /** `null` only when the watch was asked without data. */
  readonly register: Register | null;
}

/** Which earlier entries matter to the one who enters: of one kind, or all when `of` is absent. */
export interface Rule {
  /** Only entries of this kind count; without it all do. */
  readonly of?: Kind;
  /** How many of the nearest to answer, at least 1. */
  readonly limit: number;
}

/** Somebody's entry, known by name and creation. */
export interface Ref {
  /** The line it stands in. */
  readonly dir: Key;
  /** Its name below that; never used twice where `created` is not known. */
  readonly name: string;
  /** What kind of entry, or `null` for a foreign name. */
  readonly kind: Kind | null;
  /** Creation in the store's order, which tells it from an earlier one of that name; a driver that never uses a name twice may do without. */
  readonly created: bigint | null;
  /** Store order of the reply that showed it alive, where the driver needs that to watch it from there. */
  readonly seen: bigint | null;
}

/** An entry of this session. */
export interface Entry {
  /** The line it stands in. */
  readonly dir: Key;
  /** Its name below that; with `created`, never used twice. */
  readonly name: string;
  /** What it stands there as. */
  readonly kind: Kind;
  /** Session of this process that it lives and dies with. */
  readonly epoch: number;
  /** Creation in the store's total order: the raw fencing token. Greater than of every entry ahead. */
  readonly created: bigint;
  /** See {@link Ref.seen}. */
  readonly seen: bigint | null;
}

/** My entry, and the nearest entries ahead that matter: oldest first, nearest last. Empty: I am first. */
export interface Place {
  /** Where I stand. */
  readonly entry: Entry;
  /** Who stands before me, as far as it was asked for. */
  readonly ahead: readonly Ref[];
  /**
   * True when `ahead` is what the creation itself met. Otherwise it was read later: somebody ahead may have left in between, and whoever
   * entered meanwhile may have seen me wait for him.
   */
  readonly atCreation?: boolean;
}

/** What went over the wire for this backend, counted where the driver touches its transport. */
export interface Traffic {
  /** Requests sent for recipes and calls. */
  readonly requests: number;
  /** Requests that only keep the session alive or prove it. */
  readonly heartbeats: number;
  /** Watch notifications received. */
  readonly notifications: number;
}

/**
 * A store as the recipes see it. Core wraps it: waits for the session before each call, races each call with its limit,
 * checks the session's clock before anything is passed on, and shares each watch. So a driver may assume that
 * it is called while the session is `connected`, and rejects with `UNAVAILABLE` when it finds that it is not.
 *
 * Every rejection is a `CoordinationError`. `UNAVAILABLE` is the driver's word that nothing was applied and nothing will be: core asks again
 * until the limit. A write whose reply was lost rejects `OUTCOME_UNKNOWN`; a driver never retries it blindly. It calls nobody while it handles a
 * reply of the transport in a place where the transport would be harmed.
 *
 * Costs are given as round trips a caller waits for.
 */
export interface Backend {
  /** What went over the wire so far. */
  readonly traffic: Traffic;

  /** Resolves when a heartbeat sent after this call was confirmed by the store; tells a deleted entry from a dead session. 1 round trip. */
  confirm(call: Call): Promise<void>;

  // Registers --------------------------------------------------------------------------------------------------------

  /** The register, or `null` when it is absent; any failed read rejects. 1 round trip. */
  get(key: Key, consistency: Consistency, call: Call): Promise<Register | null>;

  /**
   * Compare and set in 1 round trip (more only while parents have to be made). Overwriting never changes the owner.
   * Core refuses empty values and values over 1,000,000 bytes before.
   */
  put(key: Key, value: Uint8Array, options: PutOptions, call: Call): Promise<PutResult>;

  /** Removes the value; its version goes on rising over a deletion. 1 round trip, 2 with `owner` where the store cannot compare it. */
  delete(key: Key, options: DeleteOptions, call: Call): Promise<DeleteResult>;

  /** Unlinks a deleted register for good; for sweepers, where no compare can be outstanding. Never removes a value. */
  purge(key: Key, call: Call): Promise<void>;

  /** Names of the direct children that hold a value, sorted; an absent directory is an empty one. */
  children(dir: Key, call: Call): Promise<readonly string[]>;

  // Watches ----------------------------------------------------------------------------------------------------------

  /**
   * Emits the current register (`null` when absent), then newer ones. May skip states, never goes back, never repeats, always
   * delivers the last. Survives reconnects, compaction and new sessions by re-reading; silent during an outage. Errors
   * only for `UNAUTHENTICATED`, `PERMISSION_DENIED` and `INVALID_ARGUMENT`; completes when the backend closes.
   * Cold: core subscribes once per key and shares it.
   */
  watch(key: Key): Observable<Register | null>;

  /**
   * The same for the direct children of a directory, entries in line order (by creation), coalesced per tick. Without `data`
   * the registers are `null` and only arrivals and departures emit, also of two entries with one name; for directories of entries only.
   * A change costs one notification and reads only what changed. An absent directory is an empty one.
   */
  watchChildren(dir: Key, options: { readonly data: boolean }): Observable<readonly Child[]>;

  // Ordered entries --------------------------------------------------------------------------------------------------

  /**
   * Creates my entry at the end of the line and answers, in the same round trip, the nearest `rule.limit` entries ahead.
   *
   * Settles only when the outcome is certain. Resolved: exactly one entry of mine exists (it may be deleted by hand later).
   * Rejected: none exists and none will, also when a lost request is applied late. It resolves lost replies itself,
   * over reconnects, and goes on until it knows, the epoch is over (`SESSION_LOST`) or the backend closes (`CLOSED`).
   * `signal` is made when it is first read, which a free entry need not do. When `signal` is aborted the caller has gone: stop trying to get in, and settle as soon as it is certain; core then
   * leaves a place that was resolved. Rejects `UNAVAILABLE` when nothing was sent.
   */
  enter(
    dir: Key,
    kind: Kind,
    data: Uint8Array,
    rule: Rule,
    context: { readonly epoch: number; readonly signal: AbortSignal },
  ): Promise<Place>;

  /**
   * The nearest entries still ahead of mine, or `null` when my own entry is not there any more. Asked before every grant
   * that was waited for. 1 round trip.
   */
  ahead(entry: Entry, rule: Rule, call: Call): Promise<readonly Ref[] | null>;

  /**
   * Emits once and completes when that very entry (by name and creation) is gone or, with `touched`, was updated since it was
   * created. Every grant asks for its own entry: where that costs a request, an {@link Entry} of mine may be watched `delayed` (100 ms), which short
   * grants never pay for. Survives reconnects within the epoch. Never completes without emitting, except when the backend closes. Unsubscribing stops the watch.
   * 1 notification.
   */
  gone(ref: Ref | Entry, options: { readonly touched: boolean }): Observable<'gone' | 'touched'>;

  /** Replaces my entry's data; keeps its place and owner. `GRANT_LOST` when it is not there any more. 1 round trip. */
  update(entry: Entry, data: Uint8Array, call: Call): Promise<void>;

  /** Removes my entry; resolves when it is certainly gone. Repeating it is harmless, and core does. 1 round trip. */
  leave(entry: Entry, call: Call): Promise<void>;

  /** The oldest entry of a line, or `null` when it is empty; linearizable. */
  first(dir: Key, call: Call): Promise<Child | null>;

  /** Ends the session on the store, best effort, and frees every timer and socket. Always settles, at most `limitMs` later. Idempotent. */
  close(limitMs: number): Promise<void>;
}
