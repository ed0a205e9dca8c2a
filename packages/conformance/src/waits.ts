import { expect } from 'vitest';
import { eventually, type Outcome, outcome, throughout } from './eventually.js';
import type { Fixture } from './fixture.js';

/** The promise, once it has settled, or a failure that says what did not happen in time. */
export async function soon<T>(what: string, promise: Promise<T>): Promise<T> {
  const ended: Outcome<T>[] = [];
  void outcome(promise).then((end) => ended.push(end));
  await eventually(() => {
    if (ended.length === 0) throw new Error(`${what} did not happen`);
  });
  return promise;
}

/** None of these ends for a while. */
export async function holdsUp(fixture: Fixture, waiting: readonly Promise<unknown>[]): Promise<void> {
  let ended = 0;
  for (const wait of waiting) void outcome(wait).then(() => ended++);
  await throughout(fixture.timeoutMs / 8, () => expect(ended).toBe(0));
}
