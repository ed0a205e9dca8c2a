import type { Clock } from '@concordat/core/spi';

const firstMs = 20;
const longestMs = 500;

/** Growing pauses between attempts, with jitter so that many clients do not come back at once; the first is short. */
export class Retreat {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #nextMs = firstMs;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Resolves after the next pause, or at once when the signal is aborted. Keeps the process alive: somebody waits for the store. */
  wait(): Promise<void> {
    if (this.#signal.aborted) return Promise.resolve();
    const pauseMs = this.#nextMs * (0.5 + Math.random());
    this.#nextMs = Math.min(this.#nextMs * 2, longestMs);
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        this.#signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = this.#clock.setTimer(end, pauseMs, true);
      this.#signal.addEventListener('abort', end);
    });
  }
}
