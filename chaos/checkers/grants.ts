import { type GrantedLine, type Line, linesOf } from '../records.js';

/** One grant, from the journal: what its holder believed, and when. */
export interface GrantFacts {
  readonly id: string;
  readonly by: string;
  readonly primitive: GrantedLine['primitive'];
  readonly name: string;
  readonly permits: number;
  readonly token: bigint;
  readonly calledAt: number;
  readonly grantedAt: number;
  /** When its holder was assured of it for the last time: between that and the grant it certainly believed to hold it. */
  readonly assertedAt: number;
  /** When it was given back or lost, as far as its holder lived to be told. */
  readonly overAt: number | null;
  readonly why: 'released' | 'lost' | 'closed' | null;
}

/** All grants, by the time at which they were granted. */
export function grantsOf(lines: readonly Line[]): readonly GrantFacts[] {
  const asserted = new Map<string, number>();
  for (const { grant, at } of linesOf(lines, 'asserted')) asserted.set(grant, at);
  const over = new Map(linesOf(lines, 'over').map((line) => [line.grant, line]));
  return linesOf(lines, 'granted').map((line) => ({
    id: line.grant,
    by: line.by,
    primitive: line.primitive,
    name: line.name,
    permits: line.permits,
    token: BigInt(line.token),
    calledAt: line.calledAt,
    grantedAt: line.at,
    assertedAt: asserted.get(line.grant) ?? line.at,
    overAt: over.get(line.grant)?.at ?? null,
    why: over.get(line.grant)?.why ?? null,
  }));
}

/** Grants of one thing each. */
export function byThing(grants: readonly GrantFacts[]): ReadonlyMap<string, readonly GrantFacts[]> {
  return groupBy(grants, ({ primitive, name }) => `${primitive} ${name}`);
}

/** Groups by a key, in the order of first appearance. */
export function groupBy<T>(things: readonly T[], keyOf: (thing: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const group = groups.get(keyOf(thing));
    if (group === undefined) groups.set(keyOf(thing), [thing]);
    else group.push(thing);
  }
  return groups;
}
