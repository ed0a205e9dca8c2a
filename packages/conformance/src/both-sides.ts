import type { Grant, ReadWriteLock } from '@concordat/core';
import type { Outcome } from './eventually.js';
import type { Client, Fixture } from './fixture.js';
import { queueUp } from './queue-up.js';

export type Side = 'read' | 'write';

/** Read/write lock `a`, as one client takes it. */
export function lockOf({ coordinator }: Client): ReadWriteLock {
  return coordinator.readWriteLock('a');
}

/** Starts that many waits of one side, one after the other, behind `ahead` others. */
export function queueForSide(
  fixture: Fixture,
  client: Client,
  side: Side,
  count: number,
  ahead: number,
): Promise<Promise<Outcome<Grant>>[]> {
  return queueUp(fixture, 'rw/a', { count, ahead }, () => lockOf(client)[side].acquire());
}

/** Whether holders of these kinds may be in together. */
export function mayBeTogether(kinds: readonly string[]): boolean {
  return kinds.length === 1 || kinds.every((kind) => kind === 'read');
}
