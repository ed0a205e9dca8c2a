import type { Observable } from 'rxjs';
import { type Codec, checkCodec, jsonOf, text } from './codecs.js';
import type { Context } from './context.js';
import { CoordinationError, closedError } from './errors.js';
import { EventLog } from './event-log.js';
import type { CoordinationEvent } from './events.js';
import { Layout } from './layout.js';
import type { WaitOptions } from './limits.js';
import { Leaving } from './lines/leaving.js';
import { Opening } from './opening.js';
import type { CoordinatorOptions } from './options.js';
import { OwnSessions } from './own-sessions.js';
import { type Barrier, barrier } from './recipes/barrier.js';
import { type Bundle, bundle } from './recipes/bundle.js';
import { type Config, config, configKeys } from './recipes/config.js';
import { type DoubleBarrier, doubleBarrier } from './recipes/double-barrier.js';
import { type Election, election } from './recipes/election.js';
import { type Group, group } from './recipes/group.js';
import { type Idempotency, idempotency } from './recipes/idempotency.js';
import { type Lock, lock } from './recipes/lock.js';
import { type ReadWriteLock, readWriteLock } from './recipes/read-write-lock.js';
import { type Rendezvous, rendezvous } from './recipes/rendezvous.js';
import { type Semaphore, semaphore } from './recipes/semaphore.js';
import { Requests } from './requests.js';
import type { SessionState } from './session-state.js';
import { checkWait, type Settings, settle } from './settings.js';
import { SharedWatches } from './shared-watches.js';
import type { Traffic } from './spi/backend.js';
import type { Clock } from './spi/clock.js';
import type { Driver } from './spi/driver.js';
import { Session } from './spi/session.js';
import { Wait } from './wait.js';

/**
 * One session with a store, and every primitive on it.
 *
 * Two coordinators in one process exclude each other like two processes; a forked child makes its own. It connects in the background,
 * reconnects by itself, and keeps the process alive until it is closed.
 */
export interface Coordinator {
  /**
   * Resolves when the session is connected and the namespace is ready; without a limit it waits as long as it takes.
   *
   * @throws {CoordinationError} `TIMEOUT` (with what was seen of the store as its cause), `CLOSED`, `DRIVER_UNAVAILABLE`,
   * `UNAUTHENTICATED`, `PERMISSION_DENIED`, `UNSUPPORTED` for a namespace of a newer layout.
   */
  ready(options?: WaitOptions): Promise<void>;
  /** Replays the session's state, then every transition; completes after `closed`. */
  readonly session$: Observable<SessionState>;
  /**
   * Hot: everything that happens from subscribing on, told apart by `type`; see {@link CoordinationEvent}. Never errors; completes when `close()`
   * is done. Costs nothing while nobody is subscribed.
   */
  readonly events$: Observable<CoordinationEvent>;
  /** Aborts with `CLOSED` when the coordinator is closed. */
  readonly signal: AbortSignal;
  /**
   * Until when this session, and with it everything held, is certainly alive if nothing more is heard from the store: ms on
   * `performance.now()`; moves with heartbeats, 0 while there is no session. What is left of it sinks first when the store or this process gets slow.
   */
  readonly safeUntil: number;
  /** What went over the wire so far, counted by the driver. */
  readonly traffic: Traffic;
  /**
   * The lock on `name`: any well-formed string of 1 to 128 characters; `a` and `a/b` are independent, and so are primitives
   * of different kinds with the same name. All that follow take names alike.
   *
   * @throws {CoordinationError} `INVALID_ARGUMENT`, also of all that follow.
   */
  lock(name: string): Lock;
  /** The read/write lock on `name`. */
  readWriteLock(name: string): ReadWriteLock;
  /** The semaphore on `name` with 1 to 1,000 permits; everybody has to ask for the same number. */
  semaphore(name: string, permits: number): Semaphore;
  /** The election of one leader on `name`; candidates say of themselves a text, or what `codec` makes of a value. */
  election(name: string): Election<string>;
  election<T>(name: string, codec: Codec<T>): Election<T>;
  /** The group of members on `name`; what they say of themselves is JSON, or as `codec` has it. */
  group(name: string): Group<unknown>;
  group<T>(name: string, codec: Codec<T>): Group<T>;
  /** The watched value at `path`, segments joined by `/`, stored as `codec` has it, JSON by default. */
  config(path: string): Config<unknown>;
  config<T>(path: string, codec: Codec<T>): Config<T>;
  /** Names of the config values right below `prefix`, sorted; without one, those at the top. */
  configKeys(prefix?: string, options?: WaitOptions): Promise<readonly string[]>;
  /** The bundle of settings on `name`, published and seen all at once. */
  bundle(name: string): Bundle;
  /** The barrier on `name`: closed and opened by somebody, waited for by many. */
  barrier(name: string): Barrier;
  /** The double barrier on `name`, for 1 to 1,000 parties that start and finish together. */
  doubleBarrier(name: string, parties: number): DoubleBarrier;
  /** The meeting point on `name`: somebody publishes what others wait for; JSON, or as `codec` has it. */
  rendezvous(name: string): Rendezvous<unknown>;
  rendezvous<T>(name: string, codec: Codec<T>): Rendezvous<T>;
  /** The gate on `name` that runs work at most once per key and keeps its result; JSON, or as `codec` has it. */
  idempotency(name: string): Idempotency<unknown>;
  idempotency<T>(name: string, codec: Codec<T>): Idempotency<T>;
  /**
   * Ends the session: pending calls reject `CLOSED`, grants are over at once, and their entries are gone when it resolves, as far as the store
   * answers within the request limit. Idempotent, never rejects.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a coordinator on a driver, or on a function that loads one on first use. Synchronous: it connects in the background.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT` for wrong options, an unknown one included.
 *
 * @example
 * ```ts
 * import { createCoordinator } from '@concordat/core';
 * import { memory } from '@concordat/driver-memory';
 *
 * const coordinator = createCoordinator(memory, { storeName: 'docs' });
 * await coordinator.lock('a').with(() => console.log('alone'));
 * await coordinator.close();
 * ```
 */
export function createCoordinator(driver: Driver | (() => Promise<Driver>), options: CoordinatorOptions): Coordinator {
  return new DriverCoordinator(driver, settle(options));
}

class DriverCoordinator implements Coordinator {
  readonly #context: Context;
  readonly #opening: Opening;
  readonly #controller = new AbortController();
  readonly #closeLimitMs: number;
  #closed: Promise<void> | null = null;

  constructor(driver: Driver | (() => Promise<Driver>), settings: Settings) {
    const { clock } = settings;
    const session = new Session({ clock });
    const events = new EventLog(session);
    this.#opening = new Opening(driver, settings, session);
    const backend = (): ReturnType<Opening['current']> => this.#opening.current();
    const requests = new Requests(session, clock, settings.requestTimeoutMs, backend, events);
    this.#context = {
      session,
      ownSessions: new OwnSessions(session),
      clock,
      events,
      requests,
      watches: new SharedWatches(session, backend),
      layout: new Layout(requests),
      leaving: new Leaving(requests, events),
    };
    this.#closeLimitMs = settings.requestTimeoutMs;
    this.session$ = session.state$;
    this.events$ = events.events$;
    this.signal = this.#controller.signal;
    this.#opening.start();
  }

  readonly session$: Observable<SessionState>;
  readonly events$: Observable<CoordinationEvent>;
  readonly signal: AbortSignal;

  get safeUntil(): number {
    const { session } = this.#context;
    return session.alive() ? session.safeUntil : 0;
  }

  get traffic(): Traffic {
    return this.#opening.current()?.traffic ?? { requests: 0, heartbeats: 0, notifications: 0 };
  }

  async ready(options: WaitOptions = {}): Promise<void> {
    checkWait(options);
    const { session, clock, layout } = this.#context;
    const wait = new Wait(options, session, clock, () => 'the store is not ready');
    try {
      for (;;) {
        const epoch = await wait.connected();
        try {
          await wait.race(layout.tokenBase(epoch));
          return;
        } catch (reason) {
          if (wait.ended || !CoordinationError.is(reason) || !reason.retryable) throw reason;
        }
      }
    } finally {
      wait.finish();
    }
  }

  lock(name: string): Lock {
    return lock(this.#context, name);
  }

  readWriteLock(name: string): ReadWriteLock {
    return readWriteLock(this.#context, name);
  }

  semaphore(name: string, permits: number): Semaphore {
    return semaphore(this.#context, name, permits);
  }

  election(name: string): Election<string>;
  election<T>(name: string, codec: Codec<T>): Election<T>;
  election<T>(name: string, codec?: Codec<T>): Election<T> | Election<string> {
    if (codec === undefined) return election(this.#context, name, text);
    return election(this.#context, name, checkCodec(codec));
  }

  group<T = unknown>(name: string, codec = jsonOf<T>()): Group<T> {
    return group(this.#context, name, checkCodec(codec));
  }

  config<T = unknown>(path: string, codec = jsonOf<T>()): Config<T> {
    return config(this.#context, path, checkCodec(codec));
  }

  configKeys(prefix = '', options: WaitOptions = {}): Promise<readonly string[]> {
    return configKeys(this.#context, prefix, options);
  }

  bundle(name: string): Bundle {
    return bundle(this.#context, name);
  }

  barrier(name: string): Barrier {
    return barrier(this.#context, name);
  }

  doubleBarrier(name: string, parties: number): DoubleBarrier {
    return doubleBarrier(this.#context, name, parties);
  }

  rendezvous<T = unknown>(name: string, codec = jsonOf<T>()): Rendezvous<T> {
    return rendezvous(this.#context, name, checkCodec(codec));
  }

  idempotency<T = unknown>(name: string, codec = jsonOf<T>()): Idempotency<T> {
    return idempotency(this.#context, name, checkCodec(codec));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { session, clock, leaving, events } = this.#context;
    this.#controller.abort(closedError());
    session.close();
    // The session's end on the store removes every entry of it at once.
    const ended = this.#opening.close(this.#closeLimitMs).then(() => leaving.settled());
    await within(clock, 2 * this.#closeLimitMs, ended);
    events.complete();
  }
}

/** Waits for `work`, but not longer: what is left of it goes on behind. */
function within(clock: Clock, limitMs: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(resolve, limitMs, true);
    void work.finally(() => {
      timer.cancel();
      resolve();
    });
  });
}
