import type { Clock, Timer } from '@concordat/core/spi';

/**
 * Pauses between tries: each about twice as long as the one before, with jitter so that clients do not come back together.
 *
 * They keep the process alive, as the connection did before it was lost: an outage must not end the program quietly.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #maxMs: number;
  #nextMs: number;
  #timer: Timer | null = null;
  #wake: (() => void) | null = null;
  #stopped = false;

  constructor(
    clock: Clock,
    readonly firstMs = 50,
    maxMs = 2_000,
  ) {
    this.#clock = clock;
    this.#maxMs = maxMs;
    this.#nextMs = firstMs;
  }

  /** Resolves after the next pause; at once when stopped. One waiter at a time. */
  wait(): Promise<void> {
    const pauseMs = this.#nextMs * (0.5 + Math.random() / 2);
    this.#nextMs = Math.min(this.#maxMs, this.#nextMs * 2);
    return new Promise((resolve) => {
      if (this.#stopped) return resolve();
      this.#wake = resolve;
      this.#timer = this.#clock.setTimer(resolve, pauseMs, true);
    });
  }

  /** A try succeeded. */
  reset(): void {
    this.#nextMs = this.firstMs;
  }

  /** Ends the pause that is running. */
  hurry(): void {
    this.#timer?.cancel();
    this.#wake?.();
  }

  /** Ends the pause that is running, and every later one at once. */
  stop(): void {
    this.#stopped = true;
    this.hurry();
  }
}
