import type { Line, Violation } from '../records.js';
import { type Overlap, overlapsOf } from './beliefs.js';
import { checkEnds } from './ends.js';
import { checkFencedWrites } from './fenced-writes.js';
import { grantsOf } from './grants.js';
import { checkHandOvers } from './hand-overs.js';
import { type Backend, explain } from './known.js';
import { figuresOf, type GapFigures, gapsOf } from './leaderless.js';
import { checkMembers } from './members.js';
import { checkOutcomes } from './outcomes.js';
import { checkLeading, checkProgress, checkRest } from './progress.js';
import { checkRegisters } from './register.js';
import { checkTokens } from './tokens.js';
import { checkTurns } from './turns.js';
import { checkWaits } from './waits.js';
import { checkWatches } from './watches.js';

/** What a run was about; times in milliseconds. */
export interface Limits {
  readonly backend: Backend;
  readonly sessionTimeoutMs: number;
  /** The store's own beat: a tick of ZooKeeper's, half a second of etcd's leases. */
  readonly tickMs: number;
}

/** What the journal of a run says. */
export interface Verdict {
  readonly violations: readonly Violation[];
  /** Each with the bug of a server that explains it. */
  readonly overlaps: readonly (Overlap & { readonly known: string | null })[];
  /** Without a leader of the application, while the store kept its own, over one election of the store's, and when more went wrong. */
  readonly leaderless: Readonly<Record<'kept' | 'elected' | 'more', GapFigures | null>>;
  readonly leaderlessLimitMs: Readonly<Record<'kept' | 'elected', number>>;
}

/** Checks everything that a run promises. */
export function judge(lines: readonly Line[], { backend, sessionTimeoutMs, tickMs }: Limits): Verdict {
  const grants = grantsOf(lines);
  const gaps = gapsOf(lines, sessionTimeoutMs);
  const figures = (store: 'kept' | 'elected' | 'more'): GapFigures | null =>
    figuresOf(gaps.filter((gap) => gap.store === store));
  const leaderless = { kept: figures('kept'), elected: figures('elected'), more: figures('more') };
  const leaderlessLimitMs = { kept: sessionTimeoutMs + tickMs + 2_000, elected: 2 * sessionTimeoutMs + 3_000 };
  const overdue = (['kept', 'elected'] as const).flatMap((store): Violation[] => {
    const p99 = leaderless[store]?.p99 ?? 0;
    if (p99 <= leaderlessLimitMs[store]) return [];
    const what = `the store ${store}: ${String(Math.round(p99))} ms, not within ${String(leaderlessLimitMs[store])} ms`;
    const worst = gaps
      .filter((gap) => gap.store === store)
      .sort((one, other) => other.to - other.from - (one.to - one.from))[0];
    return [{ rule: 'the application is not long without a leader', at: worst?.from ?? 0, what }];
  });
  const overlaps = overlapsOf(grants).map((overlap) => ({
    ...overlap,
    known: explain(overlap, lines, backend, sessionTimeoutMs),
  }));
  const unexplained = overlaps
    .filter(({ known }) => known === null)
    .map(({ thing, from, grants: met }): Violation => {
      return { rule: 'beliefs do not overlap', at: from, what: `${thing}: ${met.map(({ id }) => id).join(' and ')}` };
    });
  const violations = [
    ...checkFencedWrites(lines),
    ...checkTokens(grants),
    ...checkTurns(lines, grants),
    ...checkRegisters(lines, sessionTimeoutMs),
    ...checkWatches(lines),
    ...checkMembers(lines),
    ...checkWaits(lines),
    ...checkProgress(lines, 2 * sessionTimeoutMs + 3_000),
    ...checkLeading(lines, 2 * sessionTimeoutMs + 3_000),
    ...checkHandOvers(lines, sessionTimeoutMs),
    ...checkRest(lines),
    ...checkOutcomes(lines),
    ...checkEnds(lines),
    ...overdue,
    ...unexplained,
  ];
  return { violations, overlaps, leaderless, leaderlessLimitMs };
}
