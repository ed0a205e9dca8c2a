import type { Observable } from 'rxjs';
import type { Context } from './context.js';
import { CoordinationError } from './errors.js';
import { EventLog } from './event-log.js';
import type { CoordinationEvent } from './events.js';
import { Layout } from './layout.js';
import type { WaitOptions } from './limits.js';
import { Leaving } from './lines/leaving.js';
import { Opening } from './opening.js';
import type { CoordinatorOptions } from './options.js';
import { type Lock, lock } from './recipes/lock.js';
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
 * Two coordinators in one process exclude each other like two processes; a forked child makes its own. It connects in the background and
 * reconnects by itself until closed.
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
  /** Hot: every transition from subscribing on; completes when `close()` is done. */
  readonly events$: Observable<CoordinationEvent>;
  /** Aborts with `CLOSED` when the coordinator is closed. */
  readonly signal: AbortSignal;
  /** What went over the wire so far, counted by the driver. */
  readonly traffic: Traffic;
  /**
   * The lock on `name`: any well-formed string of 1 to 128 characters; `a` and `a/b` are independent.
   *
   * @throws {CoordinationError} `INVALID_ARGUMENT`
   */
  lock(name: string): Lock;
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
    const requests = new Requests(session, clock, settings.requestTimeoutMs, backend);
    this.#context = {
      session,
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

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { session, clock, leaving, events } = this.#context;
    this.#controller.abort(new CoordinationError('CLOSED', 'this coordinator is closed'));
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
