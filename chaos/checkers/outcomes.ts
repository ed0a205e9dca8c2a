import { isOfFaults } from '../fault-codes.js';
import { type Line, linesOf, type Violation } from '../records.js';

/** A call fails for what faults do, and for nothing else; once nothing is to be changed any more, it may be called off. */
export function checkOutcomes(lines: readonly Line[]): readonly Violation[] {
  const settledAt = linesOf(lines, 'phase').find(({ phase }) => phase === 'settled')?.at ?? Number.POSITIVE_INFINITY;
  return linesOf(lines, 'return').flatMap(({ by, op, at, outcome, code = 'no code' }): Violation[] => {
    if (outcome === 'ok' || isOfFaults(code) || (code === 'CLOSED' && at >= settledAt)) return [];
    return [{ rule: 'a call fails for what faults do', at, what: `${by}: ${op} ended with ${code}` }];
  });
}
