import type { Clock, Timer } from '@concordat/core/spi';

/** An end to waiting. Keeps the process alive until it has passed or was cancelled. */
export class Limit {
  readonly #controller = new AbortController();
  readonly #timer: Timer;

  constructor(clock: Clock, ms: number) {
    this.#timer = clock.setTimer(() => this.#controller.abort(), ms, true);
  }

  /** Aborted when the limit has passed. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for `work`, but not past the limit; then it is cancelled. */
  async over(work: Promise<unknown>): Promise<void> {
    let stop: () => void = () => undefined;
    const passed = new Promise<void>((resolve) => {
      stop = resolve;
      this.signal.addEventListener('abort', stop);
      // It may have passed while something else was waited for.
      if (this.signal.aborted) resolve();
    });
    await Promise.race([work, passed]);
    this.signal.removeEventListener('abort', stop);
    this.cancel();
  }

  cancel(): void {
    this.#timer.cancel();
  }
}
