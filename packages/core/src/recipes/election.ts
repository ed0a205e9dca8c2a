import { Observable } from 'rxjs';
import { type Codec, encodeValue, text } from '../codecs.js';
import type { Context } from '../context.js';
import { CoordinationError } from '../errors.js';
import type { WaitOptions } from '../limits.js';
import { contenderData } from '../lines/contender-data.js';
import type { EntryGrant, Grant } from '../lines/grant.js';
import type { Queue } from '../lines/queue.js';
import { encodeName } from '../names.js';
import { checkWait } from '../settings.js';
import { waiting } from '../waiting.js';
import { checkWork } from '../work.js';
import type { Campaign, CampaignOptions } from './election/campaign.js';
import { type Candidacy, Candidate } from './election/candidate.js';
import { type Leader, leaderOf } from './election/leader.js';
import { Office } from './election/office.js';
import { serveByWork } from './election/work.js';

export type { Campaign, CampaignOptions } from './election/campaign.js';
export type { Leader } from './election/leader.js';

/**
 * An election of one leader at a time; candidates are served in the order in which the store saw them arrive.
 *
 * Every campaign, and every call of `lead`, is a candidate of its own, also within one process. At most one leader has a token, and a later leader a greater
 * one. A leader that is cut off from the store is over by its own clock before the store lets the next one in.
 *
 * `isLeader$`, `proclaim` and `resign` are about the candidates of *this object*: keep it. Another `coordinator.election(name)` has candidates of its own.
 *
 * Not a guarantee: code that is paused or cut off may act after its term; see {@link Grant}, and send `grant.token` along with what it writes.
 *
 * Source: the leader election of the ZooKeeper paper (§2.4) and of Curator (`LeaderLatch`, `LeaderSelector`); "proclaim" and "resign" are etcd's.
 *
 * @example
 * ```ts
 * import type { Coordinator } from '@concordat/core';
 *
 * async function reconcile(coordinator: Coordinator, runBatch: (fence: string) => Promise<void>, stop: AbortSignal): Promise<void> {
 *   const election = coordinator.election('reconcile');
 *   election.leader$.subscribe((leader) => console.log(`led by ${leader?.value ?? 'nobody'}`));
 *   await election.lead((grant) => runBatch(grant.fence), { signal: stop });
 * }
 * ```
 */
export interface Election<T> {
  /**
   * Cold: each subscription is a candidate. Emits `waiting` at once, `leading` with the grant when it is elected, and `lost` when that is over; then, unless
   * `requeue` is false, `waiting` again and so on. Losing a place that was not yet granted is not told here: it enters again
   * by itself (event `requeued`).
   *
   * Completes when it has resigned, when the coordinator closes (a leader is told `lost` before), and with `requeue: false` after one term. Errors with
   * `signal.reason`, `TIMEOUT`, `INVALID_ARGUMENT`, `TOO_LARGE`, `UNAUTHENTICATED`, `PERMISSION_DENIED`, `DRIVER_UNAVAILABLE`, `BACKEND`, and `CLOSED` when it was
   * closed before; all but the first two before it ever waited, or between two terms, never while it leads.
   *
   * Unsubscribing leaves the line or steps down, in the background; `close()` waits for it. Do not use `firstValueFrom`: it unsubscribes.
   */
  campaign(options?: CampaignOptions<T>): Observable<Campaign>;
  /**
   * Runs `work` while leading, then gives the office up and stands again at the end of the line, and so on: Curator's `LeaderSelector`. The next leader comes
   * after `work` has settled.
   *
   * When the office is lost meanwhile, `grant.signal` aborts, `work` is waited for, and it stands again, whatever `work` did.
   * `options.signal` ends it, between two terms: at once while it waits, and after `work` has settled and the entry was left while it leads; `grant.signal`
   * does not abort for that. Resolves `undefined` after {@link Election.resign}. With `requeue: false` there is one term, and it resolves with what `work` answered.
   *
   * @throws what `work` throws while still leading; `signal.reason`, which wins over that; `CLOSED`, after `work` has settled; `GRANT_LOST` only with `requeue: false`;
   * otherwise as {@link Election.campaign}.
   */
  lead<R>(work: (grant: Grant) => R | PromiseLike<R>, options?: CampaignOptions<T>): Promise<R | undefined>;
  /**
   * The first one in line, on subscribing and after every change; `undefined` when nobody stands in it. It may skip a leader that came and went, never returns to a
   * lower token, and always shows the last. Shown before that leader itself may know.
   *
   * Keeps the last one in an outage, marked `stale`. A value that cannot be decoded is shown as an `error`, and the stream goes on. Completes on close; errors only for
   * `UNAUTHENTICATED` and `PERMISSION_DENIED`. A change costs one notification for all observers of this
   * process; on ZooKeeper a departure costs two.
   */
  readonly leader$: Observable<Leader<T> | undefined>;
  /**
   * Whether a candidate of this object leads, on subscribing and after every change: false in the very turn in which the grant is over, before the campaign is told.
   * Completes on close; never errors. Costs nothing.
   */
  readonly isLeader$: Observable<boolean>;
  /**
   * Replaces the value of this object's leader; place and token stay. A later term begins with the value of its campaign again. 1 round trip.
   *
   * After `OUTCOME_UNKNOWN`, and after a limit that ended it early, the value may still be replaced, also later.
   *
   * @throws {CoordinationError} `NOT_HELD` when none leads, `GRANT_LOST` when it is lost, `OUTCOME_UNKNOWN`, `UNAVAILABLE`, `INVALID_ARGUMENT`, `TOO_LARGE`,
   * `TIMEOUT`, `CLOSED`; and `signal.reason`.
   */
  proclaim(value: T, options?: WaitOptions): Promise<void>;
  /**
   * Every candidate of this object that there is now steps down, and is never elected after: grants are over at once (`NOT_HELD`), campaigns complete, `lead` resolves
   * after its work has settled; until then no successor is let in. Resolves when their entries are gone.
   *
   * Others may stand for election after. The limits bound the waiting; stepping down goes on behind it. The work of `lead` must not wait for it: it waits for that
   * work. There, call it without `await`, and return.
   *
   * Resolves on a closed coordinator: nobody of it is left.
   *
   * @throws `TIMEOUT` and `signal.reason`.
   */
  resign(options?: WaitOptions): Promise<void>;
}

/** The election on `name`, for candidates who say of themselves what `codec` reads. */
export function election<T>(context: Context, name: string, codec: Codec<T>): Election<T> {
  return new LineElection(context, name, codec);
}

class LineElection<T> implements Election<T> {
  readonly #context: Context;
  readonly #codec: Codec<T>;
  readonly #queue: Omit<Queue, 'data'>;
  readonly #what: string;
  readonly #office: Office;
  readonly #candidates = new Set<Candidate>();
  readonly leader$: Observable<Leader<T> | undefined>;
  readonly isLeader$: Observable<boolean>;

  constructor(context: Context, name: string, codec: Codec<T>) {
    const dir = `election/${encodeName(name)}`;
    this.#context = context;
    this.#codec = codec;
    this.#queue = { primitive: 'election', name, dir, kind: 'latch', rule: { limit: 1 } };
    this.#what = `election "${name}"`;
    this.#office = new Office(context.session);
    this.leader$ = leaderOf(context, dir, codec, this.#what);
    this.isLeader$ = this.#office.isLeader$;
  }

  campaign(options: CampaignOptions<T> = {}): Observable<Campaign> {
    return new Observable((subscriber) => {
      const candidate = this.#candidate(options);
      const { requeue = true, signal } = options;
      let begun = false;
      const serve = (grant: EntryGrant): Promise<boolean> =>
        new Promise((over) => {
          this.#office.take(grant, {
            leading: () => subscriber.next({ state: 'leading', grant }),
            lost: (reason) => {
              subscriber.next({ state: 'lost', reason });
              over(requeue && reason.code !== 'CLOSED');
            },
          });
        });
      const begin = (): void => {
        begun = true;
        subscriber.next({ state: 'waiting' });
      };
      this.#run(candidate, { waiting: begin, serve }).then(
        () => subscriber.complete(),
        (reason: unknown) => {
          if (begun && this.#isClose(reason, signal)) subscriber.complete();
          else subscriber.error(reason);
        },
      );
      return () => candidate.withdraw();
    });
  }

  async lead<R>(work: (grant: Grant) => R | PromiseLike<R>, options: CampaignOptions<T> = {}): Promise<R | undefined> {
    checkWork(work);
    const candidate = this.#candidate(options);
    const serving = serveByWork(candidate, this.#office, work, options);
    await this.#run(candidate, serving);
    return serving.answer();
  }

  async proclaim(value: T, options: WaitOptions = {}): Promise<void> {
    checkWait(options);
    const data = this.#encode(value);
    const { requests } = this.#context;
    await waiting(
      this.#context,
      options,
      () => `${this.#what}: the value was not replaced`,
      async (wait) => {
        const { grant } = this.#office;
        if (grant === null)
          throw new CoordinationError('NOT_HELD', `${this.#what} is not led by a candidate of this object`);
        grant.assertHeld();
        const { entry } = grant;
        try {
          await wait.race(requests.write((backend, call) => backend.update(entry, data, call), entry.epoch));
        } catch (reason) {
          // The grant says it better, where it knows already.
          if (CoordinationError.is(reason, 'SESSION_LOST') || CoordinationError.is(reason, 'GRANT_LOST'))
            grant.assertHeld();
          throw reason;
        }
        grant.assertHeld();
      },
    );
  }

  async resign(options: WaitOptions = {}): Promise<void> {
    checkWait(options);
    const describe = (): string => `${this.#what}: stepping down is not done`;
    try {
      await waiting(this.#context, options, describe, async (wait) => {
        await wait.race(Promise.all([...this.#candidates].map((candidate) => candidate.resign())));
      });
    } catch (reason) {
      // What is closed has stepped down.
      if (!this.#isClose(reason, options.signal)) throw reason;
    }
  }

  // A caller's own reason may say the same. That he aborted after the close, in the same turn say, changes nothing.
  #isClose(reason: unknown, signal: AbortSignal | undefined): boolean {
    const isCallers = signal?.aborted === true && signal.reason === reason;
    return this.#context.session.closed && !isCallers && CoordinationError.is(reason, 'CLOSED');
  }

  #candidate(options: CampaignOptions<T>): Candidate {
    checkWait(options, ['value', 'requeue']);
    const data = options.value === undefined ? this.#ownData() : this.#encode(options.value);
    return new Candidate(this.#context, { ...this.#queue, data }, options);
  }

  async #run(candidate: Candidate, candidacy: Candidacy): Promise<void> {
    this.#candidates.add(candidate);
    try {
      await candidate.run(candidacy);
    } finally {
      this.#candidates.delete(candidate);
    }
  }

  #encode(value: T): Uint8Array {
    return encodeValue(this.#codec, value, this.#what);
  }

  #ownData(): Uint8Array {
    if ((this.#codec as unknown) === text) return contenderData(undefined);
    throw new CoordinationError(
      'INVALID_ARGUMENT',
      `${this.#what} has a codec of its own, so a candidate needs a value`,
    );
  }
}
