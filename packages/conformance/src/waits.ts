import { expect } from 'vitest';
import { outcome, throughout } from './eventually.js';
import type { Fixture } from './fixture.js';

/** None of these ends for a while. */
export async function holdsUp(fixture: Fixture, waiting: readonly Promise<unknown>[]): Promise<void> {
  let ended = 0;
  for (const wait of waiting) void outcome(wait).then(() => ended++);
  await throughout(fixture.timeoutMs / 8, () => expect(ended).toBe(0));
}
