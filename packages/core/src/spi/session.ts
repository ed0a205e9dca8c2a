import { type Observable, ReplaySubject } from 'rxjs';
import { CoordinationError, closedError, withoutCode } from '../errors.js';
import type { SessionPhase, SessionState } from '../session-state.js';
import type { Clock, Timer } from './clock.js';
import { type ConnectionWaiter, ConnectionWaiters } from './connection-waiters.js';
import { Deadline } from './deadline.js';
import { type LossListener, LossListeners, type LossStage } from './loss-listeners.js';

export type { LossListener, LossStage } from './loss-listeners.js';

/** What a session needs to know from the start. */
export interface SessionOptions {
  /** What its deadline is counted on. */
  readonly clock: Clock;
}

/**
 * The session's state machine: the one place that knows whether this process may still believe that it holds something.
 *
 * The driver reports what the store said (`opened`, `confirmed`, `cut`, `saw`, `lose`, `reopen`, `refuse`); core and the recipes
 * read. Legal: connecting → connected → suspended ⇄ connected; connected | suspended → lost → connecting (epoch + 1); any →
 * closed, once. Reports that do not fit, such as a reply of an epoch that is over, are ignored.
 */
export class Session {
  readonly #clock: Clock;
  // Replays the latest also to who comes after the end.
  readonly #states$ = new ReplaySubject<SessionState>(1);
  readonly #listeners = new LossListeners();
  readonly #waiters = new ConnectionWaiters();
  readonly #closeListeners = new Set<() => void>();
  readonly #observers = new Set<(state: SessionState) => void>();
  #state: SessionState = { state: 'connecting', epoch: 1, id: null, timeoutMs: 0, reason: null };
  #loss: CoordinationError | null = null;
  #deadline: Deadline | null = null;
  #order = 0n;
  #deadlineTimer: Timer | null = null;
  #silenceTimer: Timer | null = null;
  #refusal: CoordinationError | null = null;
  #trouble: CoordinationError | null = null;

  constructor(options: SessionOptions) {
    this.#clock = options.clock;
    this.state$ = this.#states$.asObservable();
    this.#states$.next(this.#state);
  }

  // What core and the recipes read -----------------------------------------------------------------------------------

  /** Replays the latest state, then every transition; completes after `closed`. */
  readonly state$: Observable<SessionState>;

  /** Where it stands, as last declared: {@link Session.alive} asks the clock as well. */
  get state(): SessionState {
    return this.#state;
  }

  /** Sessions so far, this one included. */
  get epoch(): number {
    return this.state.epoch;
  }

  /** True for good once the coordinator was closed. */
  get closed(): boolean {
    return this.state.state === 'closed';
  }

  /** Until when this process may believe in its grants, on the injected clock; 0 when there is no session. Moves with each heartbeat. */
  get deadline(): number {
    return this.#deadline?.at ?? 0;
  }

  /** The same on the scale of `performance.now()`. */
  get safeUntil(): number {
    return this.#deadline === null ? 0 : this.#deadline.at - this.#clock.offset;
  }

  /** The last reason why the store could not be reached, for messages. */
  get trouble(): CoordinationError | null {
    return this.#trouble;
  }

  /** Why nothing can be asked right now, to be added to a message: `; not connected: …`, or nothing. */
  get plight(): string {
    if (this.state.state === 'connected') return '';
    return this.#trouble === null ? '; not connected' : `; not connected: ${withoutCode(this.#trouble)}`;
  }

  /** Checks the clock now; past the deadline it performs the whole loss before it answers. */
  alive(): boolean {
    const deadline = this.#deadline;
    if (deadline === null) return false;
    if (this.#clock.now() < deadline.at) return true;
    this.lose(this.epoch, new CoordinationError('SESSION_LOST', `the session was not confirmed in time${this.plight}`));
    return false;
  }

  /** Throws unless `epoch` is still this session, by the clock as well: asked after every await. */
  check(epoch: number): void {
    if (this.closed) throw closedError();
    if (!this.alive() || epoch !== this.epoch) throw this.#lostError();
  }

  /**
   * Calls `listener`, or what it has for each stage, once when `epoch` is over, with `SESSION_LOST` or `CLOSED`; at once when it is over already. Within one
   * loss all of stage `flag` run first, then `abort` (oldest first), then `end`, then `state$` emits, then `log`, then `driver`.
   * Returns what takes the listener back.
   */
  onLost(
    epoch: number,
    listener: LossListener | ((reason: CoordinationError) => void),
    stage: LossStage = 'end',
  ): () => void {
    const staged = typeof listener === 'function' ? { [stage]: listener } : listener;
    if (!this.closed && epoch === this.epoch && this.#mayBeHeld()) return this.#listeners.add(staged);
    const listeners = new LossListeners();
    listeners.add(staged);
    listeners.tellAll(this.closed ? closedError() : this.#lostError(), () => undefined);
    return () => undefined;
  }

  /** Calls `listener` once when the coordinator closes, after its grants were told; at once when it is closed. */
  onClose(listener: () => void): () => void {
    if (this.closed) {
      listener();
      return () => undefined;
    }
    const own = (): void => listener();
    this.#closeListeners.add(own);
    return () => this.#closeListeners.delete(own);
  }

  /** Called with each transition after everybody on `state$` was told. */
  observe(observer: (state: SessionState) => void): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /**
   * Resolves with the epoch once connected. With `epoch` it rejects `SESSION_LOST` when that one is over; rejects
   * `CLOSED` after close, and with the store's refusal (`UNAUTHENTICATED`, `DRIVER_UNAVAILABLE`, …) while that stands.
   */
  connected(epoch?: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.whenConnected({ epoch, resolve, reject });
    });
  }

  /** The same with callbacks; returns what takes the waiter back. Calls back at once when the answer is known. */
  whenConnected(waiter: ConnectionWaiter): () => void {
    this.alive();
    const { state } = this;
    if (state.state === 'closed') waiter.reject(closedError());
    else if (waiter.epoch !== undefined && (waiter.epoch !== state.epoch || state.state === 'lost'))
      waiter.reject(this.#lostError());
    else if (state.state === 'connected') waiter.resolve(state.epoch);
    else if (this.#refusal !== null) waiter.reject(this.#refusal);
    else return this.#waiters.add(waiter);
    return () => undefined;
  }

  // What the driver reports ------------------------------------------------------------------------------------------

  /**
   * The store granted a session: connecting → connected.
   *
   * @param sentAt when the request was sent that the store answered; the deadline counts from there.
   * @param lagMs how much older than the newest confirmation the one must be that the deadline counts from.
   * @returns the epoch, or `null` when the report came too late and the driver has to end that session again.
   */
  opened(id: string, timeoutMs: number, sentAt: number, lagMs: number): number | null {
    const deadline = new Deadline(timeoutMs, lagMs, sentAt);
    if (this.state.state !== 'connecting' || this.#clock.now() >= deadline.at) return null;
    this.#refusal = null;
    this.#trouble = null;
    this.#deadline = deadline;
    this.#armDeadline();
    this.#armSilence();
    const { epoch } = this.state;
    this.#move('connected', { id, timeoutMs });
    return epoch;
  }

  /** The store confirmed a heartbeat that was sent at `sentAt`. Ends a suspension. */
  confirmed(epoch: number, sentAt: number): void {
    if (epoch !== this.epoch || this.#deadline === null || !this.alive()) return;
    this.#refusal = null;
    this.#trouble = null;
    this.#deadline.confirm(sentAt);
    if (this.#silentFor() < this.#silenceLimit()) {
      this.#armSilence();
      if (this.state.state === 'suspended') this.#move('connected');
    }
  }

  /** The transport of this epoch is cut: connected → suspended. */
  cut(epoch: number, error?: CoordinationError): void {
    if (error !== undefined) this.#trouble = error;
    if (epoch === this.epoch && this.alive() && this.state.state === 'connected') this.#move('suspended');
  }

  /** Highest place in the store's total order that a linearizable reply showed: to be taken before a request is sent. */
  get order(): bigint {
    return this.#order;
  }

  /**
   * A linearizable reply or a heartbeat write carried `order`. One below `before`, taken when its request was sent, means that
   * the store went back (restore, wipe), and the epoch ends.
   */
  saw(epoch: number, order: bigint, before: bigint): void {
    if (epoch !== this.epoch || this.#deadline === null) return;
    if (order < before) this.wentBack(epoch);
    else if (order > this.#order) this.#order = order;
  }

  /** The store showed in another way that it is not what the epoch saw (restore, wipe): the epoch ends. */
  wentBack(epoch: number): void {
    this.lose(epoch, new CoordinationError('SESSION_LOST', 'the store went back in time: it was restored or wiped'));
  }

  /** The epoch is over, by the store's word or by the deadline; everything happens before this returns. */
  lose(epoch: number, reason: CoordinationError): void {
    if (epoch !== this.epoch || !this.#mayBeHeld()) return;
    this.#endEpoch();
    this.#loss = reason;
    this.#listeners.tellAll(reason, () => {
      // Whoever was told may have closed it, which is final.
      if (!this.closed) this.#move('lost', { reason });
      this.#waiters.reject('of-an-epoch', reason);
    });
  }

  /** After a loss, when the driver starts to open the next session: lost → connecting, epoch + 1. */
  reopen(): void {
    if (this.state.state !== 'lost') return;
    this.#next({ state: 'connecting', epoch: this.epoch + 1, id: null, timeoutMs: 0, reason: null });
  }

  /** Opening failed for a passing reason; kept for messages. */
  unreachable(error: CoordinationError): void {
    this.#trouble = error;
  }

  /** Opening was refused for a reason that waiting does not cure; whoever waits is told, until a session opens or goes on. */
  refuse(error: CoordinationError): void {
    this.#trouble = error;
    this.#refusal = error;
    this.#waiters.reject('everybody', error);
  }

  /** Core closed the coordinator: any → closed, once. */
  close(): void {
    if (this.closed) return;
    this.#endEpoch();
    const reason = closedError();
    this.#listeners.tellAll(reason, () => {
      this.#move('closed', { reason: null });
      this.#waiters.reject('everybody', reason);
      for (const listener of [...this.#closeListeners]) listener();
      this.#closeListeners.clear();
    });
    this.#states$.complete();
    this.#observers.clear();
  }

  // ------------------------------------------------------------------------------------------------------------------

  #mayBeHeld(): boolean {
    return this.#deadline !== null;
  }

  #lostError(): CoordinationError {
    return this.#loss ?? new CoordinationError('SESSION_LOST', 'the session is over');
  }

  #endEpoch(): void {
    this.#deadline = null;
    // Here, since the next session sends its first heartbeats before it is opened.
    this.#order = 0n;
    this.#deadlineTimer?.cancel();
    this.#silenceTimer?.cancel();
  }

  #move(state: SessionPhase, change: Partial<SessionState> = {}): void {
    this.#next({ ...this.state, state, ...change });
    if (state === 'connected') this.#waiters.resolve(this.epoch, () => this.state.state === 'connected');
  }

  #next(state: SessionState): void {
    this.#state = state;
    this.#states$.next(state);
    for (const observer of [...this.#observers]) observer(state);
  }

  #silenceLimit(): number {
    return this.state.timeoutMs / 3;
  }

  #silentFor(): number {
    return this.#deadline === null ? 0 : this.#clock.now() - this.#deadline.newest;
  }

  // Both timers look again when they fire, so that a heartbeat does not have to touch them.
  #armDeadline(): void {
    this.#deadlineTimer?.cancel();
    const wait = this.deadline - this.#clock.now();
    this.#deadlineTimer = this.#clock.setTimer(() => {
      if (this.alive()) this.#armDeadline();
    }, wait);
  }

  #armSilence(): void {
    this.#silenceTimer?.cancel();
    if (this.#deadline === null) return;
    const limit = this.#deadline.timeoutMs / 3;
    const wait = this.#deadline.newest + limit - this.#clock.now();
    const { epoch } = this;
    this.#silenceTimer = this.#clock.setTimer(() => {
      if (!this.alive() || epoch !== this.epoch) return;
      if (this.#silentFor() >= limit) this.cut(epoch);
      else this.#armSilence();
    }, wait);
  }
}
