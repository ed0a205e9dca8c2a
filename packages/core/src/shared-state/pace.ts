import { Backoff } from '../backoff.js';

const longestContentionMs = 256;
const patientTries = 2;

/** How long somebody who shares a register with others pauses, so that many who want it at once get on. */
export class Pace {
  #overtaken = 0;
  #wokenAt: bigint | null | undefined;
  #idle = new Backoff();
  #trouble = new Backoff();

  /** After a write: at random, longer with each one that another was quicker than; 0 for the first of them. */
  afterWrite(stored: boolean): number {
    this.#overtaken = stored ? 0 : this.#overtaken + 1;
    if (this.#overtaken <= patientTries) return 0;
    return Math.random() * Math.min(2 ** this.#overtaken, longestContentionMs);
  }

  /** Before looking out for news: none, unless the last hint was not borne out. The watch is behind then, and will catch up. */
  beforeWake(version: bigint | null): number {
    if (this.#wokenAt === version) return this.#idle.nextMs;
    this.#wokenAt = version;
    this.#idle = new Backoff();
    return 0;
  }

  /** After a failure that passes; longer with each one in a row. */
  afterTrouble(): number {
    return this.#trouble.nextMs;
  }

  /** The store answered all that a step asked. */
  answered(): void {
    this.#trouble = new Backoff();
  }
}
