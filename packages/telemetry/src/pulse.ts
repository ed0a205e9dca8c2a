import type { Coordinator } from '@concordat/core';

const shortestMs = 50;
const longestMs = 1_000;
const firstMs = 500;

/** What happened since it was last asked. */
export interface Beat {
  /** Least time that was left until the session would have been given up; 0 while there is none. */
  readonly leastMarginMs: number;
  /** Longest delay of a timer: for how long nothing of this process ran. */
  readonly longestLagMs: number;
}

/**
 * Looks at the clock 24 times per session timeout: how late it comes itself, and how much time the session has left. A loop that stands still for a sixth of the timeout
 * sends no heartbeats meanwhile, which is the usual way to lose a lease in Node.
 */
export class Pulse {
  readonly #coordinator: Pick<Coordinator, 'safeUntil'>;
  readonly #stalled: () => void;
  #timeoutMs = 0;
  #timer: NodeJS.Timeout;
  #due = 0;
  #leastMarginMs = Number.POSITIVE_INFINITY;
  #longestLagMs = 0;

  /** @param stalled called for each delay above a sixth of the session timeout. */
  constructor(coordinator: Pick<Coordinator, 'safeUntil'>, stalled: () => void) {
    this.#coordinator = coordinator;
    this.#stalled = stalled;
    this.#timer = this.#arm();
  }

  /** The session timeout that the store granted; 0 while there is none. */
  set timeoutMs(timeoutMs: number) {
    if (timeoutMs === this.#timeoutMs) return;
    this.#timeoutMs = timeoutMs;
    this.stop();
    this.#timer = this.#arm();
  }

  take(): Beat {
    this.#look();
    const beat = { leastMarginMs: this.#leastMarginMs, longestLagMs: this.#longestLagMs };
    this.#leastMarginMs = Number.POSITIVE_INFINITY;
    this.#longestLagMs = 0;
    return beat;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #arm(): NodeJS.Timeout {
    const periodMs = this.#timeoutMs === 0 ? firstMs : Math.min(longestMs, Math.max(shortestMs, this.#timeoutMs / 24));
    this.#due = performance.now() + periodMs;
    return setTimeout(() => this.#beat(), periodMs).unref();
  }

  #beat(): void {
    const lagMs = performance.now() - this.#due;
    this.#longestLagMs = Math.max(this.#longestLagMs, lagMs);
    if (this.#timeoutMs > 0 && lagMs > this.#timeoutMs / 6) this.#stalled();
    this.#look();
    this.#timer = this.#arm();
  }

  #look(): void {
    const marginMs = Math.max(0, this.#coordinator.safeUntil - performance.now());
    this.#leastMarginMs = Math.min(this.#leastMarginMs, marginMs);
  }
}
