import type { Random } from './random.js';

/** What code could find out or set in motion past the simulation; replaced for the time of one run. */
export interface Surroundings {
  /** Milliseconds of virtual time. */
  readonly now: () => number;
  readonly random: Random;
  /** Told of what would not be repeated by the seed: a timer of the machine, an error nobody caught. */
  readonly stray: (what: string, error: unknown) => void;
}

/**
 * Takes chance and time of the machine away from whatever runs from now on: `Math.random`, `Date.now` and `performance.now` answer by
 * the seed, and a real timer is a finding. Returns what gives everything back.
 */
export function enclose({ now, random, stray }: Surroundings): () => void {
  const { random: realRandom } = Math;
  const { now: realDate } = Date;
  const { setTimeout: realTimeout, setInterval: realInterval } = globalThis;
  const realPerformance = performance.now;
  const { stackTraceLimit } = Error;
  const trap = (): never => {
    const error = new Error('a timer of the machine was set');
    stray('past the simulation', error);
    throw error;
  };
  const unhandled = (error: unknown): void => stray('a rejection that nobody handles', error);
  const uncaught = (error: unknown): void => stray('an error that nobody catches', error);
  Math.random = () => random.next();
  Date.now = () => Math.floor(startOfTime + now());
  performance.now = now;
  // Faults make many errors, and nobody reads where they were made.
  Error.stackTraceLimit = 0;
  Object.assign(globalThis, { setTimeout: trap, setInterval: trap });
  process.on('unhandledRejection', unhandled);
  process.on('uncaughtException', uncaught);
  return () => {
    Math.random = realRandom;
    Date.now = realDate;
    performance.now = realPerformance;
    Error.stackTraceLimit = stackTraceLimit;
    Object.assign(globalThis, { setTimeout: realTimeout, setInterval: realInterval });
    process.off('unhandledRejection', unhandled);
    process.off('uncaughtException', uncaught);
  };
}

const startOfTime = Date.UTC(2026, 0, 1);
