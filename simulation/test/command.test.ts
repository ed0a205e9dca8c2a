import { describe, expect, it } from 'vitest';
import { readArguments } from '../command/arguments.js';
import type { SeedReport } from '../command/part.js';
import { shrink } from '../command/shrink.js';
import { totalsOf } from '../command/totals.js';
import { version } from '../command/version.js';
import { Random } from '../engine/random.js';
import { planSeed } from '../world/seed-plan.js';

describe('the arguments of npm run simulate', () => {
  it('are ten thousand seeds in two processes, unless others are given', () => {
    expect(readArguments([])).toMatchObject({ seed: null, from: 1, seeds: 10_000, workers: 2, twiceEvery: 100 });
    expect(readArguments(['--seed', '7', '--trace', '--without', '1,4'])).toMatchObject({
      seed: 7,
      trace: true,
      without: new Set([1, 4]),
    });
  });

  it('are refused when they are none', () => {
    expect(() => readArguments(['--seeds', 'many'])).toThrow('--seeds takes a whole number, not "many"');
    expect(() => readArguments(['--seeds', '0'])).toThrow('--seeds takes at least 1');
    expect(() => readArguments(['--workers', '0'])).toThrow('--workers takes at least 1');
    expect(() => readArguments(['--sed', '1'])).toThrow("Unknown option '--sed'");
  });
});

describe('the totals of several parts', () => {
  it('are sums, with every seed that failed', () => {
    const seed = (number: number, failed: boolean): SeedReport => ({
      type: 'seed',
      seed: number,
      hash: '',
      events: 10,
      twice: !failed,
      violation: failed ? { rule: 'left-behind', detail: '', atMs: 1 } : null,
    });
    const reports = [seed(1, false), seed(2, true)];
    const totals = totalsOf([
      ...reports,
      {
        type: 'end',
        tally: [
          ['lost', 1],
          ['granted', 3],
        ],
      },
      { type: 'end', tally: [['granted', 4]] },
    ]);
    expect(totals).toEqual({
      seeds: reports,
      failed: [reports[1]],
      events: 20,
      twice: 1,
      tally: [
        ['granted', 7],
        ['lost', 1],
      ],
    });
  });
});

describe('looking for the faults that matter', () => {
  const plan = ((): ReturnType<typeof planSeed> => {
    for (let seed = 0; ; seed++) {
      const planned = planSeed(new Random(String(seed)), ['lock']);
      if (planned.faults.length > 12) return planned;
    }
  })();
  const violation = (rule: string) => ({ rule, detail: '', atMs: 0 });

  it('leaves those that the same failure needs', async () => {
    const needed = [2, 7];
    let runs = 0;
    const without = await shrink(
      { seed: 1, plan, violations: [violation('left-behind')] },
      new Set([3]),
      async (options) => {
        runs++;
        const isThere = needed.every((number) => options.without?.has(number) !== true);
        return { violations: [violation(isThere ? 'left-behind' : 'no-progress')] };
      },
    );
    const kept = [...plan.faults.keys()].filter((number) => !without.has(number));
    expect(kept).toEqual(needed);
    expect(runs).toBeLessThan(2 * plan.faults.length);
  });
});

describe('what a seed is good for', () => {
  it('is told with the version of Node.js', () => {
    expect(version()).toContain(`on Node.js ${process.versions.node}`);
  });
});
