import { type Line, linesOf, type SeenLine, type Violation } from '../records.js';
import { groupBy } from './grants.js';

/** Observers never go back, not to nothing either where nobody deletes, agree on who had a token, and end with what is stored. */
export function checkWatches(lines: readonly Line[]): readonly Violation[] {
  const seen = linesOf(lines, 'seen');
  const observers = groupBy(seen, ({ by, what, name }) => `${by}, ${what} ${name}`);
  return [
    ...[...observers].flatMap(([observer, all]) => checkMonotone(observer, all)),
    ...checkLeaders(seen.filter(({ what }) => what === 'leader')),
    ...checkFinals(lines),
  ];
}

function checkMonotone(observer: string, seen: readonly SeenLine[]): readonly Violation[] {
  const violations: Violation[] = [];
  let highest: bigint | null = null;
  for (const { what, version, at } of seen) {
    if (version === null) {
      if (what === 'config' && highest !== null)
        violations.push({
          rule: 'an observer never goes back',
          at,
          what: `${observer}: nothing after ${String(highest)}`,
        });
      continue;
    }
    if (highest !== null && BigInt(version) < highest) {
      violations.push({
        rule: 'an observer never goes back',
        at,
        what: `${observer}: ${version} after ${String(highest)}`,
      });
    } else highest = BigInt(version);
  }
  return violations;
}

function checkLeaders(seen: readonly SeenLine[]): readonly Violation[] {
  return [
    ...groupBy(
      seen.filter(({ version }) => version !== null),
      ({ name, version }) => `${name} ${String(version)}`,
    ),
  ].flatMap(([token, all]) => {
    const names = new Set(all.map(({ value }) => value));
    const [line] = all;
    if (names.size === 1 || line === undefined) return [];
    return [{ rule: 'one leader per token', at: line.at, what: `token ${token} is of ${[...names].join(' and ')}` }];
  });
}

function checkFinals(lines: readonly Line[]): readonly Violation[] {
  const finals = linesOf(lines, 'final');
  const leftBehind = finals
    .filter(({ what, stored }) => what === 'line' && stored !== '')
    .map(({ by, name, stored, at }) => ({
      rule: 'nobody is left in a line',
      at,
      what: `${by}, ${name}: ${String(stored)}`,
    }));
  const different = finals
    .filter(({ shown, stored }) => shown !== stored)
    .map(({ by, what, name, shown, stored, at }) => ({
      rule: 'an observer ends with what is stored',
      at,
      what: `${by}, ${what} ${name}: shown ${String(shown)}, stored ${String(stored)}`,
    }));
  return [...leftBehind, ...different];
}
