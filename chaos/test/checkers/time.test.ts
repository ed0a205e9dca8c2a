import { describe, expect, it } from 'vitest';
import { figuresOf, gapsOf } from '../../checkers/leaderless.js';
import { checkProgress, checkRest } from '../../checkers/progress.js';
import { judge } from '../../checkers/verdict.js';
import { checkWaits } from '../../checkers/waits.js';
import { Story } from './story.js';

const limits = { backend: 'etcd', sessionTimeoutMs: 6_000, tickMs: 500 } as const;
const term = { primitive: 'election' } as const;

describe('waits', () => {
  const asked = (): Story =>
    new Story().process('a', 'started', 0).call('1', 10, { action: 'acquire', limitMs: 1_000 });

  it('end within their limit', () => {
    expect(checkWaits(asked().end('1', 1_500).lines)).toEqual([]);
    expect(checkWaits(asked().end('1', 5_000).lines)).toHaveLength(1);
    expect(checkWaits(asked().phase('done', 9_000).lines)).toHaveLength(1);
  });

  it('of a process that stood still are longer by that', () => {
    const story = asked().process('a', 'stopped', 500).process('a', 'continued', 4_500).end('1', 5_000);
    expect(checkWaits(story.lines)).toEqual([]);
  });

  it('of a process that was killed have no end', () => {
    expect(checkWaits(asked().process('a', 'killed', 500).phase('done', 9_000).lines)).toEqual([]);
  });
});

describe('progress', () => {
  it('is asked of everybody who lives when all is mended', () => {
    const idle = new Story().process('a', 'started', 0).phase('healed', 100).phase('settled', 20_000);
    expect(checkProgress(idle.lines, 1_000)).toHaveLength(4);
    for (const [op, name] of [
      ['1', 'lock/n'],
      ['2', 'semaphore/n'],
    ] as const)
      idle.call(op, 200, { action: 'acquire', name }).end(op, 300);
    idle.set('3', 200, 300, '1').get('4', 200, 300, '1', '3');
    expect(checkProgress(idle.lines, 1_000)).toEqual([]);
    expect(checkProgress(idle.lines, 150)).toHaveLength(4);
  });
});

describe('rest', () => {
  it('comes to everybody who lives', () => {
    const story = new Story()
      .process('a', 'started', 0)
      .process('b', 'started', 0)
      .process('b', 'killed', 50)
      .phase('settled', 100);
    expect(checkRest(story.lines)).toMatchObject([{ rule: 'everybody comes to rest' }]);
    expect(checkRest(story.final('1', '1', 150).lines)).toEqual([]);
  });
});

describe('times without a leader', () => {
  const lost = (to: number): Story =>
    new Story().hold('a', '1', [0, 10_000, 11_000], { ...term, why: 'lost' }).hold('b', '2', [0, to, to + 500], term);

  it('are those after a leader that did not step down', () => {
    expect(gapsOf(lost(15_000).lines, 6_000)).toEqual([{ from: 11_000, to: 15_000, store: 'kept' }]);
    const stepped = new Story()
      .hold('a', '1', [0, 10, 20], { ...term, why: 'released' })
      .hold('b', '2', [0, 90, 95], term);
    expect(gapsOf(stepped.lines, 6_000)).toEqual([]);
  });

  it('are told apart by what the store went through', () => {
    expect(gapsOf(lost(15_000).store(null, 9_000).store('m2', 12_000).lines, 6_000)).toMatchObject([
      { store: 'elected' },
    ]);
    expect(gapsOf(lost(15_000).store('m1', 9_000).store('m2', 12_000).lines, 6_000)).toMatchObject([{ store: 'more' }]);
  });

  it('have a limit', () => {
    const rules = (story: Story): readonly string[] => judge(story.lines, limits).violations.map(({ rule }) => rule);
    expect(rules(lost(19_000))).toEqual([]);
    expect(rules(lost(20_000))).toEqual(['the application is not long without a leader']);
    expect(rules(lost(20_000).store('m2', 12_000))).toEqual([]);
  });

  it('have figures', () => {
    const gaps = Array.from({ length: 100 }, (_, index) => ({ from: 0, to: index + 1, store: 'kept' as const }));
    expect(figuresOf(gaps)).toEqual({ count: 100, median: 51, p99: 100, most: 100 });
    expect(figuresOf([])).toBeNull();
  });
});
