import { filter, firstValueFrom, type Observable, ReplaySubject } from 'rxjs';
import { Backoff } from '../../backoff.js';
import type { Context } from '../../context.js';
import { CoordinationError, closedError } from '../../errors.js';
import type { WaitOptions } from '../../limits.js';
import { OwnLeaving } from '../../lines/own-leaving.js';
import { pause } from '../../pause.js';
import { checkWait } from '../../settings.js';
import { Wait } from '../../wait.js';
import { waiting } from '../../waiting.js';
import type { Membership, MembershipState } from '../group.js';
import { type Candidate, enterGroup, type Joined } from './entering.js';
import { lostBy, Stay, type StayListener } from './stay.js';

/** What a membership is made of. */
export interface MembershipOptions<T> {
  readonly candidate: Candidate;
  readonly encode: (data: T) => Uint8Array;
  readonly joined: Joined;
  /** How long that took, in milliseconds. */
  readonly waitedMs: number;
  /** Called once when it is over: the id may be asked for again. */
  readonly over: () => void;
}

/** A member, over as many sessions as it takes: one stay after the other. */
export class LastingMembership<T> implements Membership<T>, StayListener {
  readonly #context: Context;
  readonly #candidate: Candidate;
  readonly #encode: (data: T) => Uint8Array;
  readonly #over: () => void;
  readonly #controller = new AbortController();
  readonly #states$ = new ReplaySubject<MembershipState>(1);
  #stopListening: () => void = () => undefined;
  /** What it last wanted to say, and what is certainly written in its entry. */
  #data: Uint8Array;
  #written: Uint8Array | null = null;
  #stay: Stay | null = null;
  #token = 0n;
  #end: CoordinationError | null = null;
  #updating: Promise<void> = Promise.resolve();
  #left: Promise<void> | null = null;

  constructor(context: Context, { candidate, encode, joined, waitedMs, over }: MembershipOptions<T>) {
    this.#context = { ...context, leaving: new OwnLeaving(context.leaving) };
    this.#candidate = candidate;
    this.#encode = encode;
    this.#over = over;
    this.#data = joined.data;
    this.state$ = this.#states$.asObservable();
    this.#stand(joined, waitedMs);
    // While it is away there is no session whose loss would tell.
    this.#stopListening = context.session.onClose(() => this.#finish(closedError()));
  }

  readonly state$: Observable<MembershipState>;

  get id(): string {
    return this.#candidate.id;
  }

  get token(): bigint {
    return this.#token;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async update(data: T, options: WaitOptions = {}): Promise<void> {
    checkWait(options);
    const encoded = this.#encode(data);
    await waiting(
      this.#context,
      options,
      () => `${this.#describe()} was not updated; it may be, later`,
      (wait) => {
        if (this.#end !== null) throw this.#end;
        this.#data = encoded;
        // One after the other, so that the last one is what stays.
        const updated = this.#updating.then(() => this.#write());
        this.#updating = updated.catch(() => undefined);
        return wait.race(updated);
      },
    );
  }

  leave(): Promise<void> {
    if (this.#left !== null) return this.#left;
    this.#context.session.alive();
    const stay = this.#stay;
    this.#stay = null;
    stay?.end();
    this.#left = this.#gone(stay);
    this.#finish(new CoordinationError('NOT_HELD', `${this.#describe()} has left`));
    return this.#left;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.leave();
  }

  missing(reason: CoordinationError): void {
    this.#show({ state: 'away', reason });
  }

  removed(reason: CoordinationError): void {
    // Should a lagging server have said so, it must not stay behind.
    if (this.#stay !== null) void this.#context.leaving.leave(this.#candidate, this.#stay.entry);
    this.#finish(lostBy(this.#candidate, reason));
  }

  closing(reason: CoordinationError): void {
    this.#abort(reason);
  }

  lost(reason: CoordinationError): void {
    this.#stay = null;
    if (reason.code === 'CLOSED') this.#finish(reason);
    else this.#show({ state: 'away', reason });
  }

  afterLoss(): void {
    if (this.#end === null) void this.#context.leaving.track(this.#joinAgain());
  }

  #stand(joined: Joined, waitedMs: number): void {
    if (this.#end !== null) return void this.#context.leaving.leave(this.#candidate, joined.entry);
    const stay = new Stay(this.#context, this.#candidate, joined, waitedMs, this);
    this.#stay = stay;
    this.#token = stay.token;
    this.#written = joined.data;
    stay.start();
    if (stay.standing) this.#show({ state: 'member', token: stay.token });
  }

  async #joinAgain(): Promise<void> {
    const { session, clock, events } = this.#context;
    const { signal } = this.#controller;
    const wait = new Wait({ signal }, session, clock, () => `${this.#describe()} is away`);
    const entering = { data: () => this.#data, patient: true };
    try {
      const joined = await enterGroup(this.#context, this.#candidate, wait, entering);
      this.#stand(joined, events.now() - wait.startedAt);
    } catch (reason) {
      this.#finish(this.#endBy(reason));
    } finally {
      wait.finish();
    }
  }

  async #write(): Promise<void> {
    const { requests, session, clock } = this.#context;
    const backoff = new Backoff();
    for (;;) {
      const stay = await this.#standing();
      const data = this.#data;
      if (this.#written === data) return;
      try {
        await requests.write((backend, call) => backend.update(stay.entry, data, call), stay.entry.epoch);
        if (this.#stay === stay) this.#written = data;
        return;
      } catch (reason) {
        if (CoordinationError.is(reason, 'GRANT_LOST')) stay.isGone();
        // Nothing was written, so nothing is done twice.
        else if (CoordinationError.is(reason, 'UNAVAILABLE')) await pause(session, clock, backoff.nextMs);
        else if (!CoordinationError.is(reason, 'SESSION_LOST')) throw reason;
      }
    }
  }

  /** The stay there is, or the next one. */
  async #standing(): Promise<Stay> {
    for (;;) {
      if (this.#end !== null) throw this.#end;
      if (this.#stay?.standing === true) return this.#stay;
      const back = this.#states$.pipe(filter(({ state }) => state === 'member'));
      await firstValueFrom(back, { defaultValue: null });
    }
  }

  async #gone(stay: Stay | null): Promise<void> {
    const { leaving } = this.#context;
    if (stay !== null) void leaving.leave(this.#candidate, stay.entry, stay.held);
    // A return that is under way is taken back as well.
    await leaving.settled();
  }

  #show(state: MembershipState): void {
    if (this.#end === null) this.#states$.next(state);
  }

  #abort(reason: CoordinationError): void {
    this.#end ??= reason;
    this.#controller.abort(this.#end);
  }

  #finish(reason: CoordinationError): void {
    this.#abort(reason);
    this.#stay?.end();
    this.#stay = null;
    this.#stopListening();
    this.#over();
    this.#states$.complete();
  }

  #endBy(reason: unknown): CoordinationError {
    if (CoordinationError.is(reason, 'ALREADY_EXISTS') || CoordinationError.is(reason, 'CLOSED')) return reason;
    const known = CoordinationError.is(reason) ? reason : new CoordinationError('BACKEND', 'it could not come back');
    return lostBy(this.#candidate, known);
  }

  #describe(): string {
    return `member "${this.id}" of group "${this.#candidate.name}"`;
  }
}
