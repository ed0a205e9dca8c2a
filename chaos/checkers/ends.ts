import { type Line, linesOf, type Violation } from '../records.js';

/** No process ends by itself, and everybody closes and goes when told to: whoever does not is killed at the end of the run. */
export function checkEnds(lines: readonly Line[]): readonly Violation[] {
  const doneAt = linesOf(lines, 'phase').find(({ phase }) => phase === 'done')?.at ?? Number.POSITIVE_INFINITY;
  return linesOf(lines, 'process').flatMap(({ by, state, at }): Violation[] => {
    if (state === 'crashed') return [{ rule: 'nobody crashes', at, what: `${by} ended by itself` }];
    if (state === 'killed' && at > doneAt)
      return [{ rule: 'everybody goes when told to', at, what: `${by} had to be killed` }];
    return [];
  });
}
