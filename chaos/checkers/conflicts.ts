import type { CallLine, ReturnLine, Violation } from '../records.js';
import type { ProcessFacts } from './processes.js';

/** A write, with the version it got where anybody was told of that. */
interface Write {
  readonly call: CallLine;
  readonly end: ReturnLine | undefined;
  /** When it ended, or its process did. */
  readonly overAt: number;
  readonly version: bigint | undefined;
}

/**
 * A write is refused for the version that it expected only where somebody else's may have come after that one.
 *
 * @param latestMs how much later than it ended a request may be carried out: one that a frozen server, or a way that was cut, held on to.
 */
export function checkConflicts(
  name: string,
  calls: readonly CallLine[],
  ends: ReadonlyMap<string, ReturnLine>,
  versions: ReadonlyMap<string, bigint>,
  processes: ReadonlyMap<string, ProcessFacts>,
  latestMs: number,
): readonly Violation[] {
  const writes = calls
    .filter(({ action }) => action === 'set')
    .map((call): Write => {
      const end = ends.get(call.op);
      const overAt = end?.at ?? processes.get(call.by)?.endedAt ?? Number.POSITIVE_INFINITY;
      return { call, end, overAt, version: versions.get(call.op) };
    });
  const possible = writes.filter(({ end }) => end?.outcome !== 'refused');
  return writes.flatMap(({ call: { op, expect }, end }): Violation[] => {
    if (end?.code !== 'CONFLICT') return [];
    const expected = expect === undefined ? null : BigInt(expect);
    if (
      expected !== null &&
      (isPassed(possible, expected, end.at) || mayBePassed(possible, expected, end.at, latestMs))
    )
      return [];
    const what = `${name}: ${op} was refused for version ${String(expected)}, and nobody wrote after that`;
    return [{ rule: 'a conflict has a cause', at: end.at, what }];
  });
}

/** Whether the next version that is known can have been written by then: not before all that it follows had begun. */
function isPassed(writes: readonly Write[], expected: bigint, until: number): boolean {
  const known = writes.flatMap(({ call, version }) => (version === undefined ? [] : [{ at: call.at, version }]));
  const [next] = known
    .filter(({ version }) => version > expected)
    .sort((one, other) => (one.version < other.version ? -1 : 1));
  return next !== undefined && known.every(({ at, version }) => version > next.version || at <= until);
}

/** Whether one may lie between of which nobody knows what became of it; that one is as good a reason for two refusals as for one. */
function mayBePassed(writes: readonly Write[], expected: bigint, until: number, latestMs: number): boolean {
  const since = writes.find(({ version }) => version === expected)?.call.at ?? Number.NEGATIVE_INFINITY;
  return writes.some(({ call, overAt, version }) => {
    if (version !== undefined || call.at > until) return false;
    if (call.expect !== undefined && BigInt(call.expect) !== expected) return false;
    return overAt + latestMs >= since;
  });
}
