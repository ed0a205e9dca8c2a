import { onAbort } from './abort-fan.js';
import { CoordinationError, closedError, withoutCode } from './errors.js';
import type { WaitOptions } from './limits.js';
import type { Clock, Timer } from './spi/clock.js';
import type { Session } from './spi/session.js';

/**
 * One bounded wait of a caller: whatever is awaited through it ends with the caller's abort, its limit, or the close of
 * the coordinator. Abort wins over timeout, timeout over close, close over what the store said.
 */
export class Wait {
  #controller: AbortController | null = null;
  readonly #userSignal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #session: Session;
  readonly #deadline: number;
  #timer: Timer | null = null;
  readonly #listeners = new Set<(reason: unknown) => void>();
  readonly #detachers: (() => void)[] = [];
  readonly #timeoutMs: number | undefined;
  /** When the caller began to wait, on `performance.now()`. */
  readonly startedAt = performance.now();
  #ended = false;
  #reason: unknown;

  /** @param describe what a timeout says of the wait: the place in line and who holds, as last known. */
  constructor(
    options: WaitOptions,
    session: Session,
    clock: Clock,
    readonly describe: () => string,
  ) {
    this.#userSignal = options.signal;
    this.#session = session;
    this.#clock = clock;
    this.#timeoutMs = options.timeoutMs;
    this.#deadline = options.timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + options.timeoutMs;
    if (this.#userSignal !== undefined) this.#detachers.push(onAbort(this.#userSignal, () => this.#end()));
    // Calls back at once when it is closed already.
    this.#detachers.push(session.onClose(() => this.#end()));
    if (options.timeoutMs !== undefined) this.#armLimit();
    if (this.#verdict() !== undefined) this.#end();
  }

  /** For a driver: aborts when the caller has gone. Made on first use: few waits come to need it. */
  get signal(): AbortSignal {
    if (this.#controller !== null) return this.#controller.signal;
    this.#controller = new AbortController();
    if (this.#ended) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Milliseconds left, or infinity. */
  get remainingMs(): number {
    return this.#deadline - this.#clock.now();
  }

  /** Throws when the wait is over, by the clock as well. */
  check(): void {
    const verdict = this.#verdict();
    if (verdict !== undefined) throw verdict.reason;
  }

  /** What the caller is told when `error` came up: an abort, a timeout or a close that stands already wins. */
  reasonOver(error: unknown): unknown {
    const verdict = this.#verdict();
    return verdict === undefined ? error : verdict.reason;
  }

  /** Settles like `promise`, or rejects as soon as the wait is over; `abandoned` is then told of a late value. */
  race<T>(promise: Promise<T>, abandoned?: (late: T) => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let settled = false;
      const stop = this.#onEnd((reason) => {
        settled = true;
        reject(reason);
      });
      promise.then(
        (value) => {
          if (settled) return abandoned?.(value);
          stop();
          // The clock goes first: after a pause nothing resolves before a loss was declared.
          this.#session.alive();
          const verdict = this.#verdict();
          if (verdict === undefined) return resolve(value);
          abandoned?.(value);
          return reject(verdict.reason);
        },
        (error: unknown) => {
          if (settled) return;
          stop();
          this.#session.alive();
          reject(this.reasonOver(error));
        },
      );
    });
  }

  /** Waits for the session, and for that epoch when one is given. */
  connected(epoch?: number): Promise<number> {
    return this.callback((resolve, reject) => this.#session.whenConnected({ epoch, resolve, reject }));
  }

  /** Passes `ms` on the clock. */
  pause(ms: number): Promise<void> {
    return this.callback((resolve) => {
      const timer = this.#clock.setTimer(() => resolve(undefined), ms, true);
      return () => timer.cancel();
    });
  }

  /** A race for something that calls back and can be taken back. */
  callback<T>(start: (resolve: (value: T) => void, reject: (reason: unknown) => void) => () => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#ended) {
        reject(this.#reason);
        return;
      }
      // `start` may call back before it returns what takes it back.
      const open = { settled: false, takeBack: (): void => undefined };
      const settle = (then: () => void): void => {
        if (open.settled) return;
        open.settled = true;
        stop();
        open.takeBack();
        then();
      };
      const stop = this.#onEnd((reason) => settle(() => reject(reason)));
      const takeBack = start(
        (value) => {
          this.#session.alive();
          settle(() => resolve(value));
        },
        (reason) => settle(() => reject(this.reasonOver(reason))),
      );
      if (open.settled) takeBack();
      else open.takeBack = takeBack;
    });
  }

  /** To be called when the wait is done: takes every listener and timer back. */
  finish(): void {
    this.#timer?.cancel();
    for (const detach of this.#detachers) detach();
    this.#listeners.clear();
  }

  #onEnd(listener: (reason: unknown) => void): () => void {
    if (this.#ended) {
      listener(this.#reason);
      return () => undefined;
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // A limit keeps the process alive: the caller was promised an answer. Timers may fire a little early.
  #armLimit(): void {
    const expire = (): void => (this.remainingMs > 0 ? this.#armLimit() : this.#end());
    this.#timer = this.#clock.setTimer(expire, this.remainingMs, true);
  }

  #end(): void {
    if (this.#ended) return;
    this.#session.alive();
    const verdict = this.#verdict();
    if (verdict === undefined) return;
    this.#ended = true;
    this.#reason = verdict.reason;
    this.#timer?.cancel();
    for (const detach of this.#detachers) detach();
    this.#controller?.abort(verdict.reason);
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener(verdict.reason);
  }

  #verdict(): { readonly reason: unknown } | undefined {
    if (this.#ended) return { reason: this.#reason };
    if (this.#userSignal?.aborted === true) return { reason: this.#userSignal.reason };
    if (this.#clock.now() >= this.#deadline) {
      const waited = Math.round(this.#timeoutMs ?? 0).toLocaleString('en-US');
      const cause = this.#session.trouble;
      const message = `${this.describe()}; waited ${waited} ms${this.#session.plight}`;
      return { reason: new CoordinationError('TIMEOUT', message, cause === null ? {} : { cause }) };
    }
    if (this.#session.closed)
      return { reason: new CoordinationError('CLOSED', `${this.describe()}: ${withoutCode(closedError())}`) };
    return undefined;
  }
}
