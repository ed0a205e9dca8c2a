import { grantsOf } from '../checkers/grants.js';
import type { GapFigures } from '../checkers/leaderless.js';
import type { Verdict } from '../checkers/verdict.js';
import { type Line, linesOf } from '../records.js';

/** What was done, as rows of a name and a figure. */
export function counts(lines: readonly Line[]): readonly (readonly [name: string, figure: string])[] {
  const ends = new Map(linesOf(lines, 'return').map((line) => [line.op, line.outcome]));
  const calls = linesOf(lines, 'call');
  const rows = new Map<string, number>();
  const add = (name: string): void => void rows.set(name, (rows.get(name) ?? 0) + 1);
  for (const { action, op } of calls) add(`${action}: ${ends.get(op) ?? 'not ended'}`);
  for (const { primitive, why } of grantsOf(lines)) add(`${primitive} granted, then ${why ?? 'its process killed'}`);
  for (const { isAccepted } of linesOf(lines, 'written'))
    add(isAccepted ? 'guarded writes accepted' : 'guarded writes refused');
  for (const { phase } of linesOf(lines, 'fault')) if (phase === 'begin') add('faults');
  for (const { state } of linesOf(lines, 'session')) if (state === 'lost') add('sessions lost');
  return [...rows].sort().map(([name, count]) => [name, String(count)]);
}

/** The rows that tell of times without a leader of the application. */
export function gapRows({
  leaderless,
  leaderlessLimitMs,
}: Verdict): readonly (readonly [name: string, figure: string])[] {
  const tell = (figure: GapFigures | null, limitMs: number | null): string => {
    if (figure === null) return 'none';
    const { count, median, p99, most } = figure;
    const limit = limitMs === null ? '' : `, limit ${String(limitMs)} ms`;
    return `${String(count)} times; median ${ms(median)}, p99 ${ms(p99)}, most ${ms(most)}${limit}`;
  };
  return [
    ['without a leader, the store kept its own', tell(leaderless.kept, leaderlessLimitMs.kept)],
    ['without a leader, over one election of the store', tell(leaderless.elected, leaderlessLimitMs.elected)],
    ['without a leader, when more went wrong', tell(leaderless.more, null)],
  ];
}

/** Both as a table. */
export function figures(lines: readonly Line[], verdict: Verdict): string {
  const rows = [...gapRows(verdict), ...counts(lines)].map(
    ([name, figure]) => `<tr><td>${name}</td><td>${figure}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function ms(value: number): string {
  return `${String(Math.round(value))} ms`;
}
