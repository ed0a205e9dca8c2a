import type { Observable } from 'rxjs';
import { type Codec, encodeValue } from '../codecs.js';
import type { Context } from '../context.js';
import type { CoordinationError } from '../errors.js';
import type { WaitOptions } from '../limits.js';
import { encodeName } from '../names.js';
import { checkWait } from '../settings.js';
import type { Key } from '../spi/backend.js';
import type { Session } from '../spi/session.js';
import type { Wait } from '../wait.js';
import { waiting } from '../waiting.js';
import { type Candidate, enterGroup, taken } from './group/entering.js';
import { changesOf, kindOf, membersOf } from './group/member-list.js';
import { LastingMembership, type MembershipOptions } from './group/membership.js';

/** One member, as others see it. */
export interface Member<T> {
  /** What it joined as. */
  readonly id: string;
  /** What it says of itself; `undefined` when it could not be decoded, see `error`. */
  readonly data: T | undefined;
  /** Token of this stay; another one after every return, and greater. */
  readonly token: bigint;
  /** True for a member of this coordinator, one of an earlier session of it included. */
  readonly own: boolean;
  /** `BACKEND` when the codec could not read what it says, which concerns this member only; otherwise `null`. */
  readonly error: CoordinationError | null;
}

/** Who is in a group, as last seen. */
export interface Members<T> {
  /** Sorted by id in the order of UTF-16 code units, the same everywhere; each id once. */
  readonly members: readonly Member<T>[];
  /** True while the session is not connected: somebody may have come or gone. */
  readonly stale: boolean;
}

/**
 * What happened in a group.
 *
 * - `joined`: somebody new, or somebody who came back with another token; also, at first, everybody who is there.
 * - `updated`: it says something else; `before` is what it was.
 * - `left`: it is gone, as it was last seen.
 */
export type MemberChange<T> =
  | { readonly type: 'joined'; readonly member: Member<T> }
  | { readonly type: 'updated'; readonly member: Member<T>; readonly before: Member<T> }
  | { readonly type: 'left'; readonly member: Member<T> };

/**
 * Where a member stands: in the group with this token, or `away`, because of `SESSION_LOST` or, while the store is asked whether the session still
 * lives, of `NOT_FOUND`.
 */
export type MembershipState =
  | { readonly state: 'member'; readonly token: bigint }
  | { readonly state: 'away'; readonly reason: CoordinationError };

/**
 * One's own place in a group, until left.
 *
 * It is there for as long as its session, suspended or not. Over a session loss it comes back by itself, in the next session, with a greater token and what it last wanted to say; `signal` aborts
 * only when it is over for good. It goes on though whoever joined drops it: only `leave`, the end of the coordinator, or a loss for good ends it.
 *
 * Not a guarantee: others may see it for up to a session timeout after it was cut off, and longer than it believes itself to be there. A paused
 * member does not know what happened meanwhile; compare tokens where that matters.
 */
export interface Membership<T> {
  /** What it joined as. */
  readonly id: string;
  /** Token of the latest stay; rises with every return, and over everybody who had this id. Stays readable after the end. */
  readonly token: bigint;
  /**
   * Replays where it stands, then every transition; `away` may come twice in a row, with a better reason. Completes when the membership is over,
   * never errors; unsubscribing changes nothing.
   */
  readonly state$: Observable<MembershipState>;
  /**
   * Aborts when it is over for good: `NOT_HELD` after `leave`, `CLOSED`, `ALREADY_EXISTS` when somebody else had taken the id while it was away,
   * `GRANT_LOST` when its entry was deleted by hand (caused by `NOT_FOUND`) or the store refused to let it come back (caused by that refusal).
   */
  readonly signal: AbortSignal;
  /**
   * Says something else; resolves when the store has it. Updates of one member are written one after the other, and the last one stays. While away it waits
   * for the return, which brings the data along. Without a limit it waits as long as that takes.
   *
   * Not a guarantee: an update that rejected with `TIMEOUT`, the caller's reason or `OUTCOME_UNKNOWN` may still be carried out, also after a later one when
   * its request was held up on the way: update again to be sure.
   *
   * @throws {CoordinationError} `TIMEOUT`; `OUTCOME_UNKNOWN` when the write was sent and its reply was lost; what `signal` aborted with when the membership is over;
   * `INVALID_ARGUMENT` and `TOO_LARGE` (over 1,000,000 bytes) before anything is sent; `UNAUTHENTICATED`, `PERMISSION_DENIED`, `BACKEND`.
   */
  update(data: T, options?: WaitOptions): Promise<void>;
  /**
   * Ends it: aborts `signal` with `NOT_HELD` at once, and resolves when its entry or its session is gone. Idempotent, never rejects, never
   * touches another's entry; a return that is under way is taken back.
   */
  leave(): Promise<void>;
  /** The same as {@link Membership.leave}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Members that are there, each with what it says of itself: for discovery, sharding, and knowing who lives.
 *
 * A member is there for as long as its session; the store's clock decides, never that of a member. An id belongs to its oldest entry.
 *
 * Not a guarantee: a member that was cut off is still shown until its session times out, and one that was refused as `ALREADY_EXISTS` may show for a moment when whoever had the
 * id leaves just then.
 *
 * Source: group membership of the ZooKeeper paper (§2.4), with ids that are claimed and members that return.
 *
 * @example
 * ```ts
 * import type { Coordinator } from '@concordat/core';
 * import { json, type Codec } from '@concordat/core';
 *
 * interface Worker {
 *   readonly address: string;
 * }
 *
 * async function serve(coordinator: Coordinator, address: string, stop: AbortSignal): Promise<void> {
 *   const workers = coordinator.group('workers', json as Codec<Worker>);
 *   workers.members$.subscribe(({ members, stale }) => {
 *     console.log(members.map(({ id, data }) => `${id} at ${data?.address ?? 'unknown'}`), stale ? 'as last seen' : 'now');
 *   });
 *   await using membership = await workers.join(address, { address }, { timeoutMs: 10_000 });
 *   await new Promise((resolve) => AbortSignal.any([stop, membership.signal]).addEventListener('abort', resolve));
 * }
 * ```
 */
export interface Group<T> {
  /**
   * Becomes a member as `id`, any well-formed string of 1 to 128 characters. The number of requests is the same however many are there.
   *
   * Waits for the store, over outages and session losses until its limit, and never for whoever has the id. An entry that this coordinator left there, in an earlier session
   * or with a call that gave up, is not in the way; that of another process is, also of one that crashed, until its session times out.
   *
   * @throws {CoordinationError} `ALREADY_EXISTS` when somebody else has the id, or this coordinator has (nothing is sent then). `TIMEOUT`, the caller's `signal.reason`, `CLOSED`;
   * `INVALID_ARGUMENT` and `TOO_LARGE` (over 1,000,000 bytes) before anything is sent; `UNAUTHENTICATED`, `PERMISSION_DENIED`, `DRIVER_UNAVAILABLE`, `BACKEND`.
   * A call that failed leaves no entry behind.
   */
  join(id: string, data: T, options?: WaitOptions): Promise<Membership<T>>;
  /**
   * Cold, one watch however many look. Emits who is there, then every change (it may skip some, and ends with the last), each of one
   * moment of the store; over an outage what was last seen stays, marked `stale`.
   *
   * Completes on close; errors only for `UNAUTHENTICATED` and `PERMISSION_DENIED`. Unsubscribing ends the watch with its last observer.
   */
  readonly members$: Observable<Members<T>>;
  /**
   * What differs between one emission of {@link Group.members$} and the next, departures first, each by id; at first everybody who is there as `joined`. Who came and went in
   * between may be skipped. Whoever came back with a new token has `left` and `joined`, whether or not it was missed.
   *
   * Cold; completes, errors and ends as `members$` does. An outage is no change.
   */
  readonly changes$: Observable<MemberChange<T>>;
}

/** The group on `name`. */
export function group<T>(context: Context, name: string, codec: Codec<T>): Group<T> {
  return new EntryGroup(context, name, codec);
}

/** Ids that are joined, or about to be, on one coordinator: refused without asking the store. */
const claimed = new WeakMap<Session, Map<string, Candidate>>();

type Entered = Pick<MembershipOptions<never>, 'joined' | 'over' | 'waitedMs'>;

class EntryGroup<T> implements Group<T> {
  readonly #context: Context;
  readonly #name: string;
  readonly #codec: Codec<T>;
  readonly #dir: Key;
  readonly members$: Observable<Members<T>>;
  readonly changes$: Observable<MemberChange<T>>;

  constructor(context: Context, name: string, codec: Codec<T>) {
    this.#context = context;
    this.#name = name;
    this.#codec = codec;
    this.#dir = `group/${encodeName(name)}`;
    this.members$ = membersOf(context, this.#dir, codec);
    this.changes$ = changesOf(this.members$);
  }

  async join(id: string, data: T, options: WaitOptions = {}): Promise<Membership<T>> {
    checkWait(options);
    const candidate = { primitive: 'group', name: this.#name, dir: this.#dir, kind: kindOf(id), id };
    const encode = (given: T): Uint8Array => encodeValue(this.#codec, given, `member "${id}" of group "${this.#name}"`);
    const encoded = encode(data);
    const describe = (): string => `member "${id}" did not join group "${this.#name}"`;
    const made = await waiting(this.#context, options, describe, (wait) => this.#enter(candidate, encoded, wait));
    return new LastingMembership(this.#context, { ...made, candidate, encode });
  }

  async #enter(candidate: Candidate, data: Uint8Array, wait: Wait): Promise<Entered> {
    const { events } = this.#context;
    const over = this.#claim(candidate);
    try {
      const joined = await enterGroup(this.#context, candidate, wait, { data: () => data, patient: false });
      return { joined, over, waitedMs: events.now() - wait.startedAt };
    } catch (reason) {
      over();
      throw reason;
    }
  }

  /** Answers what gives it back. */
  #claim(candidate: Candidate): () => void {
    const { session } = this.#context;
    const claims = claimed.get(session) ?? new Map<string, Candidate>();
    claimed.set(session, claims);
    const key = `${candidate.dir}/${candidate.kind}`;
    if (claims.has(key)) throw taken(candidate);
    claims.set(key, candidate);
    return () => {
      if (claims.get(key) === candidate) claims.delete(key);
    };
  }
}
