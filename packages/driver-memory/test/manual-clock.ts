import type { Clock, Timer } from '@concordat/core/spi';

interface Due {
  readonly at: number;
  readonly run: () => void;
}

/** Time that passes only when a test says so. */
export class ManualClock implements Clock {
  readonly offset = 0;
  readonly #timers = new Set<Due>();
  #now = 1_000_000;

  now(): number {
    return this.#now;
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    const due = { at: this.#now + Math.max(0, delayMs), run: callback };
    this.#timers.add(due);
    return { cancel: () => this.#timers.delete(due) };
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Lets time pass, timer by timer, each followed by whatever it sets in motion. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const [next] = [...this.#timers].sort((one, other) => one.at - other.at);
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
    await settled();
  }

  /** Moves time without running a timer, as a paused process finds it. */
  jump(ms: number): void {
    this.#now += ms;
  }
}

/** Enough turns of the event loop for a request, its reply, and what follows from it. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve));
}
