import { byThing, type GrantFacts } from './grants.js';

/** More holders than there may be believed at the same time that they hold the same thing. */
export interface Overlap {
  readonly thing: string;
  readonly from: number;
  readonly to: number;
  /** The latest to come, and those that it met; oldest token first. */
  readonly grants: readonly GrantFacts[];
}

/** Every overlap of beliefs: from a grant to the last time that its holder was assured of it. */
export function overlapsOf(grants: readonly GrantFacts[]): readonly Overlap[] {
  return [...byThing(grants)].flatMap(([thing, all]) => overlapsIn(thing, all));
}

function overlapsIn(thing: string, grants: readonly GrantFacts[]): readonly Overlap[] {
  const overlaps: Overlap[] = [];
  let holding: readonly GrantFacts[] = [];
  for (const grant of [...grants].sort((one, other) => one.grantedAt - other.grantedAt)) {
    holding = [...holding.filter(({ assertedAt }) => assertedAt > grant.grantedAt), grant];
    if (holding.length <= grant.permits) continue;
    const met = [...holding].sort((one, other) => (one.token < other.token ? -1 : 1));
    const to = Math.min(...holding.map(({ assertedAt }) => assertedAt).filter((at) => at > grant.grantedAt));
    overlaps.push({ thing, from: grant.grantedAt, to, grants: met });
  }
  return overlaps;
}
