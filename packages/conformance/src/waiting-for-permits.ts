import type { AcquireOptions, Grant } from '@concordat/core';
import { type Outcome, outcome } from './eventually.js';
import type { Client, Fixture } from './fixture.js';

/** Starts that many waits for a permit of semaphore `a`, one after the other, behind `ahead` others. */
export async function queueForPermits(
  fixture: Fixture,
  { coordinator }: Client,
  permits: number,
  count: number,
  ahead: number,
  options?: AcquireOptions,
): Promise<Promise<Outcome<Grant>>[]> {
  const waiting: Promise<Outcome<Grant>>[] = [];
  for (let index = 1; index <= count; index++) {
    waiting.push(outcome(coordinator.semaphore('a', permits).acquire(options)));
    await fixture.lineOf('sem/a', ahead + index);
  }
  return waiting;
}
