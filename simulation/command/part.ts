import { simulate } from '../simulate.js';
import type { Violation } from '../world/findings.js';

/** What came of one seed, as told in one line of JSON. */
export interface SeedReport {
  readonly type: 'seed';
  readonly seed: number;
  readonly hash: string;
  readonly events: number;
  /** Whether it ran twice, to see that it does the same. */
  readonly twice: boolean;
  /** What must not be and was, or `null`. */
  readonly violation: Violation | null;
}

/** What a part tells: of each seed, and in the end how often what happened in all of them. */
export type PartReport = SeedReport | { readonly type: 'end'; readonly tally: readonly (readonly [string, number])[] };

/** Which seeds are run: from, then each `step`-th, before `end`. */
export interface Part {
  readonly from: number;
  readonly end: number;
  readonly step: number;
  /** Each so many-th seed runs twice; 0: none. */
  readonly twiceEvery: number;
  /** Whether to stop at the first seed that fails. */
  readonly stop: boolean;
}

/** Runs a part of the seeds, and tells what came of it. */
export async function runPart(part: Part, tell: (report: PartReport) => void): Promise<void> {
  const tally = new Map<string, number>();
  for (let seed = part.from; seed < part.end; seed += part.step) {
    const run = await simulate({ seed });
    for (const [what, count] of run.tally) tally.set(what, (tally.get(what) ?? 0) + count);
    const [found] = run.violations;
    const twice = found === undefined && part.twiceEvery > 0 && seed % part.twiceEvery === 0;
    const violation = found ?? (twice ? await repeat(seed, run.hash) : null);
    tell({ type: 'seed', seed, hash: run.hash, events: run.events, twice, violation });
    if (violation !== null && part.stop) break;
  }
  tell({ type: 'end', tally: [...tally] });
}

async function repeat(seed: number, expected: string): Promise<Violation | null> {
  const { hash, virtualMs } = await simulate({ seed });
  if (hash === expected) return null;
  return { rule: 'diverged', detail: `two runs of one seed are ${expected} and ${hash}`, atMs: virtualMs };
}
