import type { Grant } from '@concordat/core';
import { type Outcome, outcome } from './eventually.js';
import type { Fixture } from './fixture.js';

/** Starts that many waits in a line, one after the other, behind `ahead` others. */
export async function queueUp(
  fixture: Fixture,
  dir: string,
  { count, ahead }: { readonly count: number; readonly ahead: number },
  acquire: () => Promise<Grant>,
): Promise<Promise<Outcome<Grant>>[]> {
  const waiting: Promise<Outcome<Grant>>[] = [];
  for (let index = 1; index <= count; index++) {
    waiting.push(outcome(acquire()));
    await fixture.lineOf(dir, ahead + index);
  }
  return waiting;
}
