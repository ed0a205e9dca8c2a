import type { Clock, Timer } from '../src/spi/index.js';

interface Pending {
  readonly at: number;
  readonly run: () => void;
}

/** Time that passes only when told. */
export class ManualClock implements Clock {
  #now = 1_000;
  readonly #pending = new Set<Pending>();
  offset = 0;

  now(): number {
    return this.#now;
  }

  get timers(): number {
    return this.#pending.size;
  }

  setTimer(run: () => void, delayMs: number): Timer {
    const pending = { at: this.#now + Math.max(0, delayMs), run };
    this.#pending.add(pending);
    return { cancel: () => this.#pending.delete(pending) };
  }

  /** Moves on and fires what falls due, in order. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#pending].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#pending.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
    }
    this.#now = end;
  }

  /** Moves on without firing anything: a paused process. */
  freeze(ms: number): void {
    this.#now += ms;
  }
}
