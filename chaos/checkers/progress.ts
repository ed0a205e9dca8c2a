import { type Line, linesOf, type Violation } from '../records.js';
import { grantsOf } from './grants.js';
import { processesOf } from './processes.js';

/** When everything is mended, everybody who lives gets the lock, reads and writes, within the limit in milliseconds. */
export function checkProgress(lines: readonly Line[], limitMs: number): readonly Violation[] {
  const phases = new Map(linesOf(lines, 'phase').map(({ phase, at }) => [phase, at]));
  const healedAt = phases.get('healed');
  if (healedAt === undefined) return [];
  const actions = new Map(linesOf(lines, 'call').map(({ op, action, name }) => [op, `${action} ${name}`]));
  const living = [...processesOf(lines)].filter(
    ([, { startedAt, endedAt }]) =>
      startedAt <= healedAt && (endedAt === null || endedAt >= (phases.get('settled') ?? healedAt)),
  );
  const done = linesOf(lines, 'return').filter(
    ({ outcome, at }) => outcome === 'ok' && at > healedAt && at <= healedAt + limitMs,
  );
  return living.flatMap(([by]) => {
    const own = new Set(done.filter((line) => line.by === by).map(({ op }) => actions.get(op)));
    const isDone = (what: string): boolean => [...own].some((action) => action?.startsWith(what));
    return ['acquire lock', 'acquire semaphore', 'get', 'set']
      .filter((what) => !isDone(what))
      .map((what) => ({
        rule: 'everybody goes on after the last fault',
        at: healedAt,
        what: `${by} did no "${what}" within ${String(limitMs)} ms`,
      }));
  });
}

/** When everything is mended, leading goes on: somebody led within the limit in milliseconds before all come to rest. */
export function checkLeading(lines: readonly Line[], limitMs: number): readonly Violation[] {
  const settledAt = linesOf(lines, 'phase').find(({ phase }) => phase === 'settled')?.at;
  if (settledAt === undefined) return [];
  const terms = grantsOf(lines).filter(({ primitive }) => primitive === 'election');
  if (terms.some((term) => term.grantedAt <= settledAt && term.assertedAt >= settledAt - limitMs)) return [];
  return [{ rule: 'somebody leads', at: settledAt, what: `nobody led in the last ${String(limitMs)} ms` }];
}

/** When nothing is to be changed any more, everybody who lives says of everything what it was shown last. */
export function checkRest(lines: readonly Line[]): readonly Violation[] {
  const settledAt = linesOf(lines, 'phase').find(({ phase }) => phase === 'settled')?.at;
  if (settledAt === undefined) return [];
  const finals = linesOf(lines, 'final').map(({ by, what, name }) => ({ by, of: `${what} ${name}` }));
  const all = [...new Set(finals.map(({ of }) => of))];
  const said = new Set(finals.map(({ by, of }) => `${by} ${of}`));
  const isAtRest = (by: string): boolean => all.length > 0 && all.every((of) => said.has(`${by} ${of}`));
  return [...processesOf(lines)]
    .filter(
      ([by, { startedAt, endedAt }]) =>
        startedAt <= settledAt && (endedAt === null || endedAt > settledAt) && !isAtRest(by),
    )
    .map(([by]) => ({
      rule: 'everybody comes to rest',
      at: settledAt,
      what: `${by} never said what it was shown last`,
    }));
}
