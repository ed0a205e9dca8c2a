import { type Line, linesOf, type Violation } from '../records.js';

// What faults of stores and networks may do to a call. Anything else is a defect, of Concordat or of the run.
const ofFaults: ReadonlySet<string> = new Set([
  'CONFLICT',
  'GRANT_LOST',
  'OUTCOME_UNKNOWN',
  'SESSION_LOST',
  'TIMEOUT',
  'UNAVAILABLE',
]);

/** A call fails for what faults do, and for nothing else; once nothing is to be changed any more, it may be called off. */
export function checkOutcomes(lines: readonly Line[]): readonly Violation[] {
  const settledAt = linesOf(lines, 'phase').find(({ phase }) => phase === 'settled')?.at ?? Number.POSITIVE_INFINITY;
  return linesOf(lines, 'return').flatMap(({ by, op, at, outcome, code = 'no code' }): Violation[] => {
    if (outcome === 'ok' || ofFaults.has(code) || (code === 'CLOSED' && at >= settledAt)) return [];
    return [{ rule: 'a call fails for what faults do', at, what: `${by}: ${op} ended with ${code}` }];
  });
}
