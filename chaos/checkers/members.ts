import { type CallLine, type Line, linesOf, type Violation } from '../records.js';
import { processesOf } from './processes.js';

/** When all have come to rest, exactly those are members who live, joined, and did not leave; who was not answered may be one. */
export function checkMembers(lines: readonly Line[]): readonly Violation[] {
  const settledAt = linesOf(lines, 'phase').find(({ phase }) => phase === 'settled')?.at;
  if (settledAt === undefined) return [];
  const processes = processesOf(lines);
  const isLiving = (by: string): boolean => {
    const { endedAt = settledAt } = processes.get(by) ?? {};
    return endedAt === null || endedAt > settledAt;
  };
  const ends = new Map(linesOf(lines, 'return').map(({ op, outcome }) => [op, outcome]));
  const last = lastCalls(lines);
  const endTimes = new Map(linesOf(lines, 'return').map(({ op, at }) => [op, at]));
  const endedAt = (by: string): number => endTimes.get(last.get(by)?.op ?? '') ?? Number.NEGATIVE_INFINITY;
  const joins = [...last].filter(([by, { action }]) => action === 'join' && isLiving(by));
  const those = (outcomes: readonly unknown[]): readonly string[] =>
    joins.filter(([, { op }]) => outcomes.includes(ends.get(op))).map(([by]) => by);
  const [certain, possible] = [those(['ok']), those(['ok', 'unknown', undefined])];
  return linesOf(lines, 'final')
    .filter(({ what }) => what === 'members')
    .flatMap(({ by, at, stored }): Violation[] => {
      // Somebody may come or go while another one looks.
      const isStill = (id: string): boolean => endedAt(id) <= at;
      const there = (stored ?? '').split(' ').filter((id) => id !== '');
      const wrong = [
        ...certain.filter((id) => isStill(id) && !there.includes(id)).map((id) => `${id} is missing`),
        ...there.filter((id) => isStill(id) && !possible.includes(id)).map((id) => `${id} is there`),
      ];
      if (wrong.length === 0) return [];
      return [{ rule: 'who joined is a member, and nobody else', at, what: `${by}: ${wrong.join(', ')}` }];
    });
}

/** The last time that each joined or left. */
function lastCalls(lines: readonly Line[]): ReadonlyMap<string, CallLine> {
  const calls = linesOf(lines, 'call').filter(({ action }) => action === 'join' || action === 'leave');
  return new Map(calls.map((call) => [call.by, call]));
}
