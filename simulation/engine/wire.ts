import type { Deliver, MemoryLink, MemoryStore } from '@concordat/driver-memory';
import type { Random } from './random.js';
import type { Scheduler } from './scheduler.js';
import { message, type SimulatedProcess } from './simulated-process.js';

/** How the ways between processes and the store behave in one seed. */
export interface Weather {
  /** Usual time of a message, in milliseconds: from, to. */
  readonly usualMs: readonly [number, number];
  /** Probability that one takes longer, and how long then at most, in milliseconds. */
  readonly slow: number;
  readonly slowMs: number;
  /** Probability that the connection breaks instead of delivering a request, or a message of the store. */
  readonly lostRequest: number;
  readonly lostMessage: number;
}

/**
 * The way of one process to the store. Each message takes its own time, so that whatever is independent is reordered; within one direction
 * of one connection the order stays. A lost message takes its connection along, as on every real transport.
 */
export class Wire {
  readonly link: MemoryLink;
  readonly #process: SimulatedProcess;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #weather: () => Weather;
  /** Each message takes up to so much longer, in milliseconds. */
  extraMs = 0;

  constructor(
    store: MemoryStore,
    process: SimulatedProcess,
    scheduler: Scheduler,
    random: Random,
    weather: () => Weather,
  ) {
    this.#process = process;
    this.#scheduler = scheduler;
    this.#random = random;
    this.#weather = weather;
    this.link = store.link({ deliver: (callback, toward) => this.#deliver(callback, toward) });
  }

  /** How long a message may take now, in milliseconds. */
  get longestMs(): number {
    const { usualMs, slow, slowMs } = this.#weather();
    return Math.max(usualMs[1], slow > 0 ? slowMs : 0) + this.extraMs;
  }

  #deliver(callback: () => void, toward: Parameters<Deliver>[1]): void {
    if (toward === 'self') {
      this.#process.plan(0, 'next turn', callback);
      return;
    }
    const { lostRequest, lostMessage } = this.#weather();
    // The connection breaks before anything that is on its way arrives.
    if (this.#random.chance(toward === 'store' ? lostRequest : lostMessage))
      this.#scheduler.plan(0, null, `breaks ${this.#process.name}`, () => this.link.flap());
    if (toward === 'client') this.#process.plan(this.#delayMs(), message, callback);
    else this.#scheduler.plan(this.#delayMs(), null, `request of ${this.#process.name}`, callback);
  }

  #delayMs(): number {
    const { usualMs, slow, slowMs } = this.#weather();
    const [least, most] = usualMs;
    const ms = this.#random.chance(slow) ? this.#random.between(most, slowMs) : this.#random.between(least, most);
    return ms + this.extraMs * this.#random.next();
  }
}
