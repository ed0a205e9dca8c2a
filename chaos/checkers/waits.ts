import { type Line, linesOf, type Violation } from '../records.js';
import { processesOf, stoodStill } from './processes.js';

// For a machine that is busy with servers and clients besides.
const slackMs = 2_000;

/** Every call ends within the limit that it was told, unless its process is killed before; the time in which that stands still does not count. */
export function checkWaits(lines: readonly Line[]): readonly Violation[] {
  const rule = 'a wait never outlives its limit';
  const processes = processesOf(lines);
  const ends = new Map(linesOf(lines, 'return').map(({ op, at }) => [op, at]));
  const lastAt = lines.at(-1)?.at ?? 0;
  return linesOf(lines, 'call').flatMap(({ op, by, action, name, at, limitMs }): Violation[] => {
    const process = processes.get(by);
    const end = ends.get(op);
    if (end === undefined && process === undefined) return [];
    const isCutShort = end === undefined && process?.isKilled === true;
    const to = end ?? process?.endedAt ?? lastAt;
    const took = to - at - (process === undefined ? 0 : stoodStill(process, at, to));
    if ((end !== undefined || isCutShort) && took <= limitMs + slackMs) return [];
    const ending = end === undefined ? 'never ended' : `took ${String(Math.round(took))} ms`;
    return [{ rule, at, what: `${by}: ${action} ${name} with a limit of ${String(Math.round(limitMs))} ms ${ending}` }];
  });
}
