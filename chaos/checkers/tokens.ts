import type { Violation } from '../records.js';
import { byThing, type GrantFacts } from './grants.js';

/** A token is granted once, and whoever asked after a grant gets a greater one. */
export function checkTokens(grants: readonly GrantFacts[]): readonly Violation[] {
  return [...byThing(grants)].flatMap(([thing, all]) => [...checkReuse(thing, all), ...checkOrder(thing, all)]);
}

function checkReuse(thing: string, grants: readonly GrantFacts[]): readonly Violation[] {
  const first = new Map<bigint, GrantFacts>();
  const violations: Violation[] = [];
  for (const grant of grants) {
    const before = first.get(grant.token);
    if (before === undefined) first.set(grant.token, grant);
    else {
      const what = `${thing}: token ${String(grant.token)} was granted to ${before.id} and to ${grant.id}`;
      violations.push({ rule: 'a token is granted once', at: grant.grantedAt, what });
    }
  }
  return violations;
}

function checkOrder(thing: string, grants: readonly GrantFacts[]): readonly Violation[] {
  const granted = [...grants].sort((one, other) => one.grantedAt - other.grantedAt);
  const violations: Violation[] = [];
  let next = 0;
  let highest: GrantFacts | null = null;
  for (const grant of [...grants].sort((one, other) => one.calledAt - other.calledAt)) {
    for (; (granted[next]?.grantedAt ?? Number.POSITIVE_INFINITY) < grant.calledAt; next += 1) {
      const candidate = granted[next];
      if (candidate !== undefined && (highest === null || candidate.token > highest.token)) highest = candidate;
    }
    if (highest === null || highest.token < grant.token) continue;
    const what = `${thing}: ${grant.id} asked after ${highest.id} was granted ${String(highest.token)}, and got ${String(grant.token)}`;
    violations.push({ rule: 'tokens rise', at: grant.grantedAt, what });
  }
  return violations;
}
