import type { Random } from '../engine/random.js';
import type { Client } from '../world/client.js';

/** One kind of use of a coordinator, and what has to hold of it. */
export interface Workload {
  readonly name: string;
  /** Begins what a client does beside its steps, such as watching. */
  readonly start?: (client: Client, random: Random) => void;
  /** One thing that a worker does, bounded in virtual time; true when it came to something. */
  step(client: Client, random: Random): Promise<boolean>;
  /** Looks at what is left when nobody does anything any more and everybody is connected. */
  readonly settled?: () => void;
}

/** How long something takes in a step; short once the faults are over, so that everybody's turn comes. */
export function duration(client: Client, random: Random): number {
  if (client.world.phase === 'healed') return random.between(0.1, 20);
  if (!random.chance(client.world.climate.patience)) return random.spread(0.1, 60);
  // Longer than a session lasts without its store, where it is to be lost.
  return client.sessionTimeoutMs * (random.chance(0.5) ? random.spread(0.02, 0.5) : random.between(0.5, 2));
}

/** Sometimes so long that somebody behind who was not told that he may get in is noticed, even after a trouble. */
export function longDuration(client: Client, random: Random): number {
  if (client.world.phase === 'healed' || !random.chance(0.2)) return duration(client, random);
  return client.sessionTimeoutMs * random.between(1.2, 2.5);
}

/** Limits as a caller gives them, or none: a timeout, and a signal that aborts at some time. */
export function limits(client: Client, random: Random): { readonly timeoutMs?: number; readonly signal?: AbortSignal } {
  if (client.world.phase === 'healed') return {};
  const { sessionTimeoutMs } = client;
  const timeoutMs = random.chance(0.4) ? { timeoutMs: Math.round(random.spread(1, 2 * sessionTimeoutMs)) } : {};
  if (!random.chance(0.2)) return timeoutMs;
  const controller = new AbortController();
  client.later(random.spread(0.1, sessionTimeoutMs), () => controller.abort());
  return { ...timeoutMs, signal: controller.signal };
}
