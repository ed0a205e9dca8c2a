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
  const known = knownOf(possible);
  const unknown = possible.filter(({ version }) => version === undefined);
  return writes.flatMap(({ call: { op, expect }, end }): Violation[] => {
    if (end?.code !== 'CONFLICT') return [];
    const expected = expect === undefined ? null : BigInt(expect);
    if (expected !== null) {
      const [before, next] = [known[after(known, expected) - 1], known[after(known, expected)]];
      // Not before all that it follows had begun.
      if (next !== undefined && next.earliestAt <= end.at) return [];
      const since = before?.version === expected ? before.at : Number.NEGATIVE_INFINITY;
      if (unknown.some((write) => mayLieBetween(write, expected, since - latestMs, end.at))) return [];
    }
    const what = `${name}: ${op} was refused for version ${String(expected)}, and nobody wrote after that`;
    return [{ rule: 'a conflict has a cause', at: end.at, what }];
  });
}

/** A version that is known, and when it can have been written at the earliest. */
interface Known {
  readonly version: bigint;
  readonly at: number;
  readonly earliestAt: number;
}

/** In the order of their versions. */
function knownOf(writes: readonly Write[]): readonly Known[] {
  let earliestAt = Number.NEGATIVE_INFINITY;
  return writes
    .flatMap(({ call: { at }, version }) => (version === undefined ? [] : [{ at, version }]))
    .sort((one, other) => (one.version < other.version ? -1 : 1))
    .map(({ at, version }) => {
      earliestAt = Math.max(earliestAt, at);
      return { version, at, earliestAt };
    });
}

/** Where the first version above this one is. */
function after(known: readonly Known[], version: bigint): number {
  let [low, high] = [0, known.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((known[middle]?.version ?? 0n) > version) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether one may lie between of which nobody knows what became of it; that one is as good a reason for two refusals as for one. */
function mayLieBetween({ call, overAt }: Write, expected: bigint, since: number, until: number): boolean {
  if (call.at > until || overAt < since) return false;
  return call.expect === undefined || BigInt(call.expect) === expected;
}
