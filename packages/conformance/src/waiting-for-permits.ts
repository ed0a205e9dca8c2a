import type { AcquireOptions, Grant } from '@concordat/core';
import type { Outcome } from './eventually.js';
import type { Client, Fixture } from './fixture.js';
import { queueUp } from './queue-up.js';

/** Starts that many waits for a permit of semaphore `a`, one after the other, behind `ahead` others. */
export function queueForPermits(
  fixture: Fixture,
  { coordinator }: Client,
  permits: number,
  count: number,
  ahead: number,
  options?: AcquireOptions,
): Promise<Promise<Outcome<Grant>>[]> {
  return queueUp(fixture, 'sem/a', { count, ahead }, () => coordinator.semaphore('a', permits).acquire(options));
}
