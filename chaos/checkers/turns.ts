import { type Line, linesOf, type Violation } from '../records.js';
import { byThing, type GrantFacts } from './grants.js';

/**
 * Nobody is granted before it is its turn by the store's own order.
 *
 * Who comes goes behind, so that those who are ahead of somebody in a line were so ever since. A line that shows somebody whose call began after
 * a grant was as it is after that grant, too: so its grant was out of turn if as many as the permits are still ahead.
 */
export function checkTurns(lines: readonly Line[], grants: readonly GrantFacts[]): readonly Violation[] {
  const facts = new Map(
    [...byThing(grants)].map(([thing, all]) => [thing, new Map(all.map((grant) => [String(grant.token), grant]))]),
  );
  const found = new Map<string, Violation>();
  for (const { primitive, name, permits, tokens, at } of linesOf(lines, 'queue')) {
    const known = facts.get(`${primitive} ${name}`);
    const standing = tokens.map((token) => known?.get(token));
    const latestCall = Math.max(...standing.map((grant) => grant?.calledAt ?? Number.NEGATIVE_INFINITY));
    for (const [place, grant] of standing.entries()) {
      if (grant === undefined || place < permits || grant.grantedAt >= latestCall) continue;
      const what = `${primitive} ${name}: ${grant.id} was granted with ${String(place)} ahead of it`;
      if (!found.has(grant.id)) found.set(grant.id, { rule: 'nobody is granted out of turn', at, what });
    }
  }
  return [...found.values()];
}
