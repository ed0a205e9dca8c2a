import type { PartReport, SeedReport } from './part.js';

/** What came of all parts together. */
export interface Totals {
  readonly seeds: readonly SeedReport[];
  readonly failed: readonly SeedReport[];
  readonly events: number;
  readonly twice: number;
  /** How often what happened, by name. */
  readonly tally: readonly (readonly [string, number])[];
}

/** Sums up what the parts told. */
export function totalsOf(reports: readonly PartReport[]): Totals {
  const seeds = reports.filter((report) => report.type === 'seed');
  const tally = new Map<string, number>();
  for (const report of reports) {
    if (report.type !== 'end') continue;
    for (const [what, count] of report.tally) tally.set(what, (tally.get(what) ?? 0) + count);
  }
  return {
    seeds,
    failed: seeds.filter(({ violation }) => violation !== null),
    events: seeds.reduce((sum, { events }) => sum + events, 0),
    twice: seeds.filter(({ twice }) => twice).length,
    tally: [...tally].sort(([one], [other]) => (one < other ? -1 : 1)),
  };
}
