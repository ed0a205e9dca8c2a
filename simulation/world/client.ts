import { type CoordinationErrorCode, type Coordinator, createCoordinator, type SessionState } from '@concordat/core';
import { memory } from '@concordat/driver-memory';
import { GrantEvents } from '../checks/grant-events.js';
import { illegalMove } from '../checks/session-states.js';
import type { Random } from '../engine/random.js';
import type { Planned } from '../engine/scheduler.js';
import { SimulatedProcess } from '../engine/simulated-process.js';
import { Wire } from '../engine/wire.js';
import { byFaults, type Outcome, outcomeOf } from './outcome.js';
import { namespace, type World } from './world.js';

// What comes behind a limit: a late timer, and turns that were due before it.
const slackMs = 50;

/** One process of a service with its coordinator, from its start to its end. */
export class Client {
  readonly name: string;
  readonly world: World;
  readonly process: SimulatedProcess;
  readonly wire: Wire;
  readonly coordinator: Coordinator;
  readonly random: Random;
  /** Every session it ever had. */
  readonly sessions = new Set<string>();
  readonly sessionTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly #grants: GrantEvents | null = null;
  #state: SessionState | null = null;
  #settledMs = 0;
  #opened = 0;
  #openedMs = 0;
  #closing = false;
  #closed: Promise<void> | null = null;
  readonly #whenClosing: (() => void)[] = [];

  constructor(name: string, world: World) {
    const { scheduler, store, random, climate } = world;
    this.name = name;
    this.world = world;
    this.random = random.fork(name);
    this.sessionTimeoutMs = climate.sessionTimeoutMs;
    this.requestTimeoutMs = Math.min(5_000, climate.sessionTimeoutMs / 3);
    this.process = new SimulatedProcess(name, scheduler, this.random.fork('process'));
    this.wire = new Wire(store, this.process, scheduler, this.random.fork('wire'), () => world.weather);
    this.coordinator = createCoordinator(memory, {
      storeName: this.wire.link.address,
      namespace,
      sessionTimeoutMs: climate.sessionTimeoutMs,
      allowShortSession: true,
      clock: this.process.clock,
    });
    this.coordinator.session$.subscribe((state) => this.#moved(state));
    if (climate.eventsWatched) this.#grants = new GrantEvents(this);
  }

  /** The session that it lives in, as it was told last. */
  get session(): string | null {
    const { state, id } = this.#state ?? { state: 'connecting', id: null };
    return state === 'connected' || state === 'suspended' ? id : null;
  }

  /** Whether it is connected, as it was told last. */
  get connected(): boolean {
    return this.#state?.state === 'connected';
  }

  /** Since when nothing has troubled it, in milliseconds of virtual time. */
  get settledMs(): number {
    return this.#settledMs;
  }

  /** When it was told of the session that it has, in milliseconds of virtual time. */
  get openedMs(): number {
    return this.#openedMs;
  }

  get closing(): boolean {
    return this.#closing;
  }

  /** Whether its workers go on. */
  get working(): boolean {
    return !this.closing && !this.process.dead && this.world.phase !== 'ending';
  }

  note(what: string): void {
    this.world.note(this.name, what);
  }

  report(rule: string, detail: string): void {
    this.world.findings.report(rule, `${this.name}: ${detail}`);
  }

  /** Passes time in this process. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.later(ms, resolve);
    });
  }

  /** Does something in this process, in `ms`. */
  later(ms: number, run: () => void): Planned {
    return this.process.plan(ms, 'step', run);
  }

  /** Settles as `promise` does, which has to be within `limitMs` of this process's time. */
  bounded<T>(what: string, limitMs: number, promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = (): void => {
      settled = true;
      limit.cancel();
    };
    const { clock } = this.process;
    const startedAt = clock.now();
    const late = (): void => {
      if (!settled)
        this.report('wait-not-bounded', `${what} is not settled after ${(clock.now() - startedAt).toFixed(0)} ms`);
    };
    // Once more after that, since a paused process finds all of its timers due at once.
    const limit = this.later(1.02 * limitMs + slackMs, () => this.later(slackMs, () => this.later(slackMs, late)));
    promise.then(done, done);
    return promise;
  }

  /**
   * The value of `promise`, or how it ended without one: with an error that it was allowed to end with, or the caller's abort. What only faults explain
   * is allowed only where there are some; `CLOSED` is while this client closes.
   */
  async attempt<T>(
    what: string,
    allowed: readonly CoordinationErrorCode[],
    promise: Promise<T>,
    signal?: AbortSignal,
  ): Promise<Outcome<T>> {
    const outcome = await outcomeOf(promise, signal);
    if ('value' in outcome || outcome.code === 'ABORTED') return outcome;
    const { code, message } = outcome;
    if (!this.#isExpected(code, allowed)) this.report('unexpected-error', `${what}: ${message}`);
    this.note(`${what}: ${code}`);
    return outcome;
  }

  /** Closes as a service that stops in order; resolves when that is done. */
  close(): Promise<void> {
    this.#closing = true;
    if (this.#closed !== null) return this.#closed;
    const closed = this.bounded('close', 2 * this.requestTimeoutMs, this.coordinator.close());
    for (const listener of this.#whenClosing) listener();
    this.#closed = closed.then(() => this.#grants?.closed());
    return this.#closed;
  }

  /** Something troubled it until now; what was sent before is still on its way for as long as a message takes. */
  unsettle(): void {
    this.#settledMs = Math.max(this.#settledMs, this.world.scheduler.now + this.wire.longestMs);
    this.world.troubledMs = Math.max(this.world.troubledMs, this.#settledMs);
  }

  /** Calls `listener` in the very turn in which it is closed, after that. */
  whenClosing(listener: () => void): void {
    this.#whenClosing.push(listener);
  }

  /** Dies on the spot. */
  kill(): void {
    this.note('dies');
    this.unsettle();
    this.process.kill();
  }

  #isExpected(code: CoordinationErrorCode, allowed: readonly CoordinationErrorCode[]): boolean {
    if (code === 'CLOSED') return this.closing;
    return allowed.includes(code) && !(this.world.climate.faultless && byFaults.has(code));
  }

  #moved(state: SessionState): void {
    const before = this.#state;
    const wrong = before === null ? null : illegalMove(before, state);
    this.#state = state;
    this.note(`session ${state.state} ${state.epoch}${state.reason === null ? '' : ` (${state.reason.message})`}`);
    if (wrong !== null) this.report('illegal-session-move', wrong);
    if (state.id !== null) this.sessions.add(state.id);
    if (state.state === 'connected' && state.epoch !== this.#opened) {
      this.#opened = state.epoch;
      this.#openedMs = this.world.scheduler.now;
    }
    if (state.state !== 'closed') this.unsettle();
    if (state.state === 'lost') this.world.findings.count('session lost');
    if (state.state === 'lost' && this.world.climate.faultless)
      this.report('lost-without-cause', 'nothing went wrong, and the session is lost');
  }
}
