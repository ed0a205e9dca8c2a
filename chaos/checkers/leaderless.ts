import { type Line, linesOf } from '../records.js';
import { type GrantFacts, grantsOf } from './grants.js';

/** A time in which nobody led the application. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** How the term before it ended: given back, or otherwise. */
  readonly after: 'release' | 'loss';
  /** For how long of it the store had no leader either, in milliseconds. */
  readonly electedMs: number;
  /** Whether the store kept its leader, elected one, or whether more than one thing went wrong: then there is no promise. */
  readonly store: 'kept' | 'elected' | 'more';
}

/** Figures of gaps of one kind, in milliseconds. */
export interface GapFigures {
  readonly count: number;
  readonly median: number;
  readonly p99: number;
  readonly most: number;
}

// What keeps a client from taking over: then there is one that has to be waited for besides.
const clientFaults = [
  'stop a client',
  'kill a client',
  'cut a client off',
  'lose the replies to a client',
  'leave a client with a minority',
];

/** Every gap between a leader that was lost and the next one. */
export function gapsOf(lines: readonly Line[], sessionTimeoutMs: number): readonly Gap[] {
  return allGaps(lines, sessionTimeoutMs).filter(({ after }) => after === 'loss');
}

/** Every gap between two terms. */
export function allGaps(lines: readonly Line[], sessionTimeoutMs: number): readonly Gap[] {
  const elections = electionsIn(lines);
  const terms = grantsOf(lines).filter(({ primitive }) => primitive === 'election');
  const end = linesOf(lines, 'phase').find(({ phase }) => phase === 'settled')?.at ?? Number.POSITIVE_INFINITY;
  const gaps: Gap[] = [];
  let before: GrantFacts | null = null;
  for (const term of [...terms].sort((one, other) => one.grantedAt - other.grantedAt)) {
    const after = before?.why === 'released' ? 'release' : 'loss';
    const from = after === 'release' ? (before?.overAt ?? 0) : (before?.assertedAt ?? 0);
    const to = term.grantedAt;
    if (before !== null && to < end && to > from)
      gaps.push({
        from,
        to,
        after,
        electedMs: elections.reduce((sum, { begunAt, endedAt }) => sum + overlapOf(begunAt, endedAt, from, to), 0),
        store: judge(lines, elections, from, to, sessionTimeoutMs),
      });
    before = term;
  }
  return gaps;
}

// What begins after the longest time that is promised excuses nothing.
function judge(
  lines: readonly Line[],
  elections: readonly Election[],
  lostAt: number,
  ledAt: number,
  sessionTimeoutMs: number,
): Gap['store'] {
  const [from, to] = [lostAt - sessionTimeoutMs, Math.min(ledAt, lostAt + 2 * sessionTimeoutMs + 3_000)];
  const elected = elections.filter(({ begunAt, endedAt }) => begunAt <= to && endedAt >= from).length;
  const broken = linesOf(lines, 'fault').filter(
    ({ at, fault, phase }) => phase === 'begin' && at >= from && at <= to && clientFaults.includes(fault),
  );
  if (broken.length > 1 || elected > 1) return 'more';
  return elected === 0 ? 'kept' : 'elected';
}

function overlapOf(begunAt: number, endedAt: number, from: number, to: number): number {
  return Math.max(0, Math.min(endedAt, to) - Math.max(begunAt, from));
}

/** When the store had no leader, or changed it. */
interface Election {
  readonly begunAt: number;
  readonly endedAt: number;
}

// One look at the leader may be answered late.
const hiccupMs = 1_000;

function electionsIn(lines: readonly Line[]): readonly Election[] {
  const elections: Election[] = [];
  let known: string | null = null;
  let begunAt: number | null = null;
  for (const { leader, at } of linesOf(lines, 'store')) {
    if (leader === null) {
      begunAt ??= at;
      continue;
    }
    const isOther = known !== null && leader !== known;
    if (isOther || (begunAt !== null && at - begunAt >= hiccupMs))
      elections.push({ begunAt: begunAt ?? at, endedAt: at });
    known = leader;
    begunAt = null;
  }
  return begunAt === null ? elections : [...elections, { begunAt, endedAt: Number.POSITIVE_INFINITY }];
}

/** Figures of those gaps; `null` when there are none. */
export function figuresOf(gaps: readonly Gap[]): GapFigures | null {
  const sorted = gaps.map(({ from, to }) => to - from).sort((one, other) => one - other);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return sorted.length === 0 ? null : { count: sorted.length, median: at(0.5), p99: at(0.99), most: at(1) };
}
