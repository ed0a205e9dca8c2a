import { type Line, linesOf } from '../records.js';
import { type GrantFacts, grantsOf } from './grants.js';

/** A time in which nobody led the application, after a leader that did not step down. */
export interface Gap {
  readonly from: number;
  readonly to: number;
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
  const terms = grantsOf(lines).filter(({ primitive }) => primitive === 'election');
  const end = linesOf(lines, 'phase').find(({ phase }) => phase === 'settled')?.at ?? Number.POSITIVE_INFINITY;
  const gaps: Gap[] = [];
  let before: GrantFacts | null = null;
  for (const term of [...terms].sort((one, other) => one.grantedAt - other.grantedAt)) {
    if (before !== null && before.why !== 'released' && term.grantedAt < end && term.grantedAt > before.assertedAt) {
      gaps.push({
        from: before.assertedAt,
        to: term.grantedAt,
        store: judge(lines, before.assertedAt, term.grantedAt, sessionTimeoutMs),
      });
    }
    before = term;
  }
  return gaps;
}

// What begins after the longest time that is promised excuses nothing.
function judge(lines: readonly Line[], lostAt: number, ledAt: number, sessionTimeoutMs: number): Gap['store'] {
  const [from, to] = [lostAt - sessionTimeoutMs, Math.min(ledAt, lostAt + 2 * sessionTimeoutMs + 3_000)];
  const leaders = linesOf(lines, 'store').filter(({ at }) => at >= from && at <= to);
  const elected = leaders.filter(({ leader }) => leader !== null).length;
  const broken = linesOf(lines, 'fault').filter(
    ({ at, fault, phase }) => phase === 'begin' && at >= from && at <= to && clientFaults.includes(fault),
  );
  if (broken.length > 1 || elected > 1) return 'more';
  if (leaders.length === 0) return 'kept';
  return elected === 1 ? 'elected' : 'more';
}

/** Figures of those gaps; `null` when there are none. */
export function figuresOf(gaps: readonly Gap[]): GapFigures | null {
  const sorted = gaps.map(({ from, to }) => to - from).sort((one, other) => one - other);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return sorted.length === 0 ? null : { count: sorted.length, median: at(0.5), p99: at(0.99), most: at(1) };
}
