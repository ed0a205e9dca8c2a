import { describe, expect, it } from 'vitest';
import { checkEnds } from '../../checkers/ends.js';
import { checkHandOvers } from '../../checkers/hand-overs.js';
import { figuresOf, gapsOf } from '../../checkers/leaderless.js';
import { checkOutcomes } from '../../checkers/outcomes.js';
import { checkLeading, checkProgress, checkRest } from '../../checkers/progress.js';
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

  it('of a process that was killed have no end, unless their limit was over by then', () => {
    expect(checkWaits(asked().process('a', 'killed', 500).phase('done', 9_000).lines)).toEqual([]);
    expect(checkWaits(asked().process('a', 'killed', 8_000).phase('done', 9_000).lines)).toHaveLength(1);
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

  it('is told of everything that anybody tells of', () => {
    const story = new Story().process('a', 'started', 0).process('b', 'started', 0).phase('settled', 100);
    for (const by of ['a', 'b'])
      story.lines.push({ kind: 'final', what: 'config', name: 'x', by, shown: '1', stored: '1', at: 150 });
    expect(checkRest(story.lines)).toEqual([]);
    story.lines.push({ kind: 'final', what: 'leader', name: 'x', by: 'a', shown: null, stored: null, at: 160 });
    expect(checkRest(story.lines)).toMatchObject([{ what: 'b never said what it was shown last' }]);
  });
});

describe('ends', () => {
  it('come when the run wants them', () => {
    const run = (): Story => new Story().process('a', 'started', 0).process('b', 'started', 0).phase('done', 100);
    expect(checkEnds(run().process('a', 'killed', 50).process('b', 'ended', 150).lines)).toEqual([]);
    expect(checkEnds(run().process('a', 'crashed', 50).lines)).toMatchObject([{ rule: 'nobody crashes' }]);
    expect(checkEnds(run().process('b', 'killed', 150).lines)).toMatchObject([{ rule: 'everybody goes when told to' }]);
  });

  it('do not excuse the calls of one who crashed', () => {
    const story = new Story().process('a', 'started', 0).call('1', 10, { action: 'acquire' });
    expect(checkWaits(story.process('a', 'crashed', 20).phase('done', 9_000).lines)).toHaveLength(1);
  });
});

describe('outcomes', () => {
  it('are those that faults bring about', () => {
    const ended = (code: string): Story => {
      const story = new Story().phase('settled', 1_000).call('1', 10, { action: 'get' });
      story.lines.push({ kind: 'return', op: '1', by: 'a', at: 20, outcome: 'unknown', code });
      return story;
    };
    expect(checkOutcomes(ended('TIMEOUT').lines)).toEqual([]);
    expect(checkOutcomes(ended('CLOSED').lines)).toHaveLength(1);
    expect(checkOutcomes(ended('TypeError: no').lines)).toHaveLength(1);
  });
});

describe('leading', () => {
  it('goes on when all is mended', () => {
    const led = (until: number): Story =>
      new Story().hold('a', '1', [0, 10, until], { ...term, why: 'released' }).phase('settled', 20_000);
    expect(checkLeading(led(19_500).lines, 1_000)).toEqual([]);
    expect(checkLeading(led(18_000).lines, 1_000)).toMatchObject([{ rule: 'somebody leads' }]);
    expect(checkLeading(new Story().phase('settled', 20_000).lines, 1_000)).toHaveLength(1);
  });
});

describe('an office', () => {
  const given = (to: number): Story =>
    new Story().hold('a', '1', [0, 10, 1_000], { ...term, why: 'released' }).hold('b', '2', [0, to, to + 500], term);
  const rules = ({ lines }: Story): readonly string[] => checkHandOvers(lines, 6_000).map(({ rule }) => rule);

  it('that was given back is taken over in time', () => {
    expect(rules(given(1_100))).toEqual([]);
    expect(rules(given(16_100))).toEqual(['an office does not stand empty']);
    expect(rules(given(16_100).store('m1', 0).store('m2', 2_000).store('m3', 4_000))).toEqual([]);
    const elected = given(26_000).store('m1', 0).store(null, 2_000).store('m2', 14_000);
    expect(rules(elected)).toEqual([]);
  });

  it('does not stand empty for ever, whatever goes wrong', () => {
    const often = given(130_000).store('m1', 0).store('m2', 2_000).store('m3', 4_000);
    expect(rules(often)).toEqual(['an office does not stand empty']);
    const lost = new Story()
      .hold('a', '1', [0, 10, 1_000], { ...term, why: 'lost' })
      .hold('b', '2', [0, 130_000, 130_500], term);
    expect(rules(lost)).toEqual(['an office does not stand empty']);
  });
});

describe('times without a leader', () => {
  const lost = (to: number): Story =>
    new Story().hold('a', '1', [0, 10_000, 11_000], { ...term, why: 'lost' }).hold('b', '2', [0, to, to + 500], term);

  it('are those after a leader that did not step down', () => {
    expect(gapsOf(lost(15_000).lines, 6_000)).toEqual([
      { from: 11_000, to: 15_000, after: 'loss', electedMs: 0, store: 'kept' },
    ]);
    const stepped = new Story()
      .hold('a', '1', [0, 10, 20], { ...term, why: 'released' })
      .hold('b', '2', [0, 90, 95], term);
    expect(gapsOf(stepped.lines, 6_000)).toEqual([]);
  });

  it('are told apart by what the store went through', () => {
    expect(gapsOf(lost(15_000).store(null, 9_000).store('m2', 12_000).lines, 6_000)).toMatchObject([
      { store: 'elected' },
    ]);
    const twice = lost(15_000).store('m1', 0).store('m2', 9_000).store('m3', 12_000);
    expect(gapsOf(twice.lines, 6_000)).toMatchObject([{ store: 'more' }]);
    const going = lost(15_000).store('m1', 0).store(null, 14_000).store('m2', 15_500);
    expect(gapsOf(going.lines, 6_000)).toMatchObject([{ store: 'elected' }]);
  });

  it('are not told apart by one look at the leader that was answered late', () => {
    const story = lost(15_000).store('m1', 0).store(null, 9_000).store('m1', 9_600);
    expect(gapsOf(story.lines, 6_000)).toMatchObject([{ store: 'kept' }]);
  });

  it('are not excused by what was broken when they were too long already', () => {
    const long = lost(71_000).fault('stop a client', 31_000, 32_000).fault('kill a client', 51_000, 52_000);
    expect(gapsOf(long.lines, 6_000)).toMatchObject([{ store: 'kept' }]);
  });

  it('have a limit', () => {
    const rules = (story: Story): readonly string[] => judge(story.lines, limits).violations.map(({ rule }) => rule);
    expect(rules(lost(19_000))).toEqual([]);
    expect(rules(lost(20_000))).toEqual(['the application is not long without a leader']);
    expect(rules(lost(20_000).store('m1', 0).store('m2', 12_000))).toEqual([]);
  });

  it('have figures', () => {
    const gaps = Array.from({ length: 100 }, (_, index) => {
      return { from: 0, to: index + 1, after: 'loss' as const, electedMs: 0, store: 'kept' as const };
    });
    expect(figuresOf(gaps)).toEqual({ count: 100, median: 51, p99: 100, most: 100 });
    expect(figuresOf([])).toBeNull();
  });
});
