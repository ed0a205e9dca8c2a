import type { Random } from '../engine/random.js';
import type { Weather } from '../engine/wire.js';
import { type Fault, planFaults } from '../faults/plan.js';
import type { Climate } from './world.js';

/** Everything that one seed decides beforehand. */
export interface SeedPlan {
  readonly climate: Climate;
  readonly clients: number;
  readonly workersPerClient: number;
  /** Which workloads, as parts of all there are. */
  readonly workloads: readonly string[];
  /** For how long faults go on, in milliseconds of virtual time. */
  readonly faultsForMs: number;
  readonly faults: readonly Fault[];
}

/** @param all names of the workloads there are. */
export function planSeed(random: Random, all: readonly string[]): SeedPlan {
  const sessionTimeoutMs = random.pick([2_000, 4_000, 6_000, 12_000]);
  const faultless = random.chance(0.05);
  const faultsForMs = sessionTimeoutMs * random.between(1.5, 3.5);
  const faults = faultless ? [] : planFaults(random.fork('faults'), faultsForMs, sessionTimeoutMs);
  return {
    climate: {
      sessionTimeoutMs,
      faultless,
      patience: random.pick([0.02, 0.1, 0.3, 0.6]),
      tokenBase: random.chance(0.2) ? 1_000_000n : 0n,
      eventsWatched: random.chance(0.5),
      weather: weatherOf(random.fork('weather'), faultless, sessionTimeoutMs),
    },
    clients: random.pick([3, 3, 4, 5]),
    workersPerClient: random.whole(1, 2),
    workloads: someOf(random, all),
    faultsForMs,
    faults,
  };
}

/** How messages travel once all faults are over. */
export const fairWeather: Weather = { usualMs: [0.1, 5], slow: 0, slowMs: 0, lostRequest: 0, lostMessage: 0 };

function weatherOf(random: Random, faultless: boolean, sessionTimeoutMs: number): Weather {
  // Seldom nearly as slow as a session can bear.
  const isHeavy = !faultless && random.chance(0.15);
  const most = isHeavy ? sessionTimeoutMs * random.between(0.02, 0.16) : random.spread(0.2, 50);
  const lossy = !faultless && random.chance(0.5);
  return {
    usualMs: [most * random.spread(0.05, 0.7), most],
    slow: random.chance(0.5) ? random.spread(0.005, 0.1) : 0,
    slowMs: random.spread(50, 400),
    lostRequest: lossy ? random.spread(0.001, 0.06) : 0,
    lostMessage: lossy ? random.spread(0.001, 0.06) : 0,
  };
}

// Few at a time, so that much happens at one place.
function someOf(random: Random, all: readonly string[]): readonly string[] {
  const count = random.whole(1, 3);
  const left = [...all];
  const some: string[] = [];
  while (some.length < count && left.length > 0) {
    const [picked] = left.splice(random.whole(0, left.length - 1), 1);
    if (picked !== undefined) some.push(picked);
  }
  return some;
}
