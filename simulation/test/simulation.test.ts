import { describe, expect, it } from 'vitest';
import { faultKinds } from '../faults/plan.js';
import { simulate } from '../simulate.js';
import { workloads } from '../workloads/index.js';
import { partOf } from './part-of.js';

const seeds = 150;

describe('the recipes in simulation', () => {
  it('hold whatever was promised over 150 seeds, in which everything happens', async () => {
    const used = new Set<string>();
    const tally = new Map<string, number>();
    for (let seed = 1; seed <= seeds; seed++) {
      const run = await simulate({ seed });
      expect({ seed, violations: run.violations }).toEqual({ seed, violations: [] });
      for (const name of run.plan.workloads) used.add(name);
      for (const [what, count] of run.tally) tally.set(what, (tally.get(what) ?? 0) + count);
    }
    expect([...used].sort()).toEqual(Object.keys(workloads).sort());
    const happened = ['granted', 'written', 'refused', 'lost', 'session lost', 'joined', 'executed', 'entered'];
    const faults = faultKinds.map((kind) => `fault ${kind}`);
    const missing = [...happened, ...faults, 'published', 'config written', 'shown'].filter((what) => !tally.has(what));
    expect(missing).toEqual([]);
    expect(tally.get('steps done')).toBeGreaterThan(seeds * 20);
  }, 120_000);
});

describe('a seed', () => {
  it('is repeated exactly, whatever ran before it, and whether or not its trace is kept', async () => {
    const first = await simulate({ seed: 7, trace: true });
    const other = await simulate({ seed: 8 });
    const second = await simulate({ seed: 7, trace: true });
    const third = await simulate({ seed: 7 });
    expect(second.lines).toEqual(first.lines);
    expect(first.lines.length).toBeGreaterThan(first.events);
    expect([second.hash, third.hash]).toEqual([first.hash, first.hash]);
    expect(other.hash).not.toBe(first.hash);
  });

  it('does the same in two processes', async () => {
    const [alone, among] = await Promise.all([partOf(20, 21), partOf(17, 21)]);
    expect(alone).toHaveLength(1);
    expect(among.filter(({ seed }) => seed === 20)).toEqual(alone);
  });

  it('is planned the same without one of its faults, and goes another way', async () => {
    const whole = await simulate({ seed: 5 });
    const without = await simulate({ seed: 5, without: new Set([0]) });
    expect(whole.plan.faults.length).toBeGreaterThan(0);
    expect(without.plan).toEqual(whole.plan);
    expect(without.hash).not.toBe(whole.hash);
  });
});
