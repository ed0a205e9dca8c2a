import { uptime } from 'node:os';

/** A running timer; `cancel` is idempotent. */
export interface Timer {
  /** The callback will not run. */
  cancel(): void;
}

/**
 * Elapsed time as a driver and the recipes may see it: never wall-clock time, never going back.
 *
 * `now()` counts milliseconds and includes time the machine was suspended; `offset` is that part, so that
 * `clock.now() - clock.offset` is on the scale of `performance.now()`.
 */
export interface Clock {
  /** Milliseconds since some moment, suspended time included. */
  now(): number;
  /** Milliseconds of it that the machine was suspended. */
  readonly offset: number;
  /** Runs `callback` once, at least `delayMs` from now. Timers do not keep the process alive unless `keepAlive` is set. */
  setTimer(callback: () => void, delayMs: number, keepAlive?: boolean): Timer;
}

// /proc/uptime has a resolution of 10 ms and is read a little apart from the other clock.
const suspendToleranceMs = 100;
// A check costs 4 microseconds. Freezing and waking a machine takes longer than this on the monotonic clock.
const checkEveryMs = 5;
const longestTimerMs = 2 ** 31 - 1;

/**
 * The clock of this process: `performance.now()`, cross-checked with `os.uptime()`.
 *
 * The monotonic clock stands still while the machine is suspended, and a session does not; uptime goes on counting.
 * A pause of the whole virtual machine is seen by neither clock: fencing tokens are for that.
 */
export class SystemClock implements Clock {
  #offset = 0;
  #lastMonotonic = performance.now();
  #lastUptime = uptime() * 1000;
  #lastCheck = this.#lastMonotonic;

  /** Milliseconds that the machine was suspended, as far as it was noticed. */
  get offset(): number {
    return this.#offset;
  }

  /** Milliseconds, suspended time included. */
  now(): number {
    const monotonic = performance.now();
    if (monotonic - this.#lastCheck >= checkEveryMs) this.#noticeSuspend(monotonic);
    return monotonic + this.#offset;
  }

  /** Runs `callback` once, at least `delayMs` from now. */
  setTimer(callback: () => void, delayMs: number, keepAlive = false): Timer {
    const handle = setTimeout(callback, Math.min(Math.max(0, Math.ceil(delayMs)), longestTimerMs));
    if (!keepAlive) handle.unref();
    return { cancel: () => clearTimeout(handle) };
  }

  #noticeSuspend(monotonic: number): void {
    this.#lastCheck = monotonic;
    const up = uptime() * 1000;
    const asleep = up - this.#lastUptime - (monotonic - this.#lastMonotonic);
    // Both marks move only when a suspend was seen, or slowly: otherwise small errors of reading would add up.
    if (asleep > suspendToleranceMs) {
      this.#offset += asleep;
      this.#mark(monotonic, up);
    } else if (monotonic - this.#lastMonotonic > 1000) this.#mark(monotonic, up);
  }

  #mark(monotonic: number, up: number): void {
    this.#lastMonotonic = monotonic;
    this.#lastUptime = up;
  }
}

/** The one {@link SystemClock} of this process. */
export const systemClock: Clock = new SystemClock();
