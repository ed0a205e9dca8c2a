import type { Random } from '../engine/random.js';

/** What may be done to the world. Acts of an operator are those by hand. */
export const faultKinds = [
  'flap',
  'cut',
  'blackhole',
  'swallow replies',
  'hold requests',
  'slow link',
  'pause process',
  'kill process',
  'close client',
  'freeze store',
  'restart store',
  'expire by hand',
  'delete by hand',
] as const;

/** One kind of fault. */
export type FaultKind = (typeof faultKinds)[number];

/** One fault: everything that it needs is decided beforehand, so that a run without it is otherwise planned the same. */
export interface Fault {
  readonly kind: FaultKind;
  /** Milliseconds of virtual time. */
  readonly atMs: number;
  readonly forMs: number;
  /** Which client, as a part of how many there are; which entry, likewise. */
  readonly client: number;
  readonly entry: number;
}

/**
 * The faults of one seed, in order of time. Most seeds know only some kinds, and those much of it: a little of everything finds little
 * (swarm testing).
 */
export function planFaults(random: Random, untilMs: number, sessionTimeoutMs: number): readonly Fault[] {
  const faults: Fault[] = [];
  const likely = random.pick([0.15, 0.3, 0.6]);
  for (const kind of faultKinds) {
    if (!random.chance(likely)) continue;
    const everyMs = random.spread(0.7, 5) * sessionTimeoutMs;
    for (let atMs = everyMs * random.next(); atMs < untilMs; atMs += everyMs * random.between(0.2, 1.8)) {
      const forMs = durationOf(kind, random, sessionTimeoutMs);
      const fault = { kind, atMs, forMs, client: random.next(), entry: random.next() };
      faults.push(fault);
      // What is hard to get right is one trouble on top of another.
      if (random.chance(0.4)) faults.push(followUp(fault, random, sessionTimeoutMs));
    }
  }
  return faults.sort((one, other) => one.atMs - other.atMs);
}

function followUp({ atMs, forMs, client }: Fault, random: Random, sessionTimeoutMs: number): Fault {
  const kind = random.pick(faultKinds);
  const forMsNow = durationOf(kind, random, sessionTimeoutMs);
  return { kind, atMs: atMs + forMs * random.between(0, 1.1), forMs: forMsNow, client, entry: random.next() };
}

// In session timeouts, around what matters: a round trip, the third of silence, the deadline and the expiry.
const spans = [
  [0, 0.02],
  [0.02, 0.4],
  [0.4, 1],
  [0.9, 1.4],
] as const;

function durationOf(kind: FaultKind, random: Random, sessionTimeoutMs: number): number {
  if (kind === 'kill process' || kind === 'close client') return random.spread(1, sessionTimeoutMs);
  const [least, most] = random.pick(spans);
  return sessionTimeoutMs * random.between(least, most);
}
