import { type Line, linesOf, type Violation, type WrittenLine } from '../records.js';
import { groupBy } from './grants.js';

/** What tokens guard never takes an older token after a newer one, and never goes back to a grant that another one followed. */
export function checkFencedWrites(lines: readonly Line[]): readonly Violation[] {
  const accepted = linesOf(lines, 'written').filter(({ isAccepted }) => isAccepted);
  return [...groupBy(accepted, ({ resource }) => resource)].flatMap(([, writes]) => checkResource(writes));
}

function checkResource(writes: readonly WrittenLine[]): readonly Violation[] {
  const violations: Violation[] = [];
  const past = new Set<string>();
  let before: WrittenLine | null = null;
  for (const write of writes) {
    if (before !== null && BigInt(write.token) < BigInt(before.token)) {
      const what = `${write.resource}: ${write.grant} wrote with ${write.token} after ${before.grant} with ${before.token}`;
      violations.push({ rule: 'an older token is refused', at: write.at, what });
    }
    if (before !== null && before.grant !== write.grant) past.add(before.grant);
    if (past.has(write.grant)) {
      const what = `${write.resource}: ${write.grant} wrote again after ${String(before?.grant)}`;
      violations.push({ rule: 'accepted writes of two grants do not interleave', at: write.at, what });
    }
    before = write;
  }
  return violations;
}
