import { describe, expect, it } from 'vitest';
import { judge } from '../../checkers/verdict.js';
import { Story } from './story.js';

const limits = { backend: 'etcd', sessionTimeoutMs: 6_000, tickMs: 500 } as const;
const revoked = '[SESSION_LOST] the store ended the session';

describe('beliefs that overlap', () => {
  const met = (): Story =>
    new Story().server('3.4.23').hold('a', '1', [0, 10, 9_000]).hold('b', '2', [0, 8_600, 9_500]);
  const rulesOf = (story: Story, backend: 'etcd' | 'zookeeper' = 'etcd'): readonly string[] =>
    judge(story.lines, { ...limits, backend }).violations.map(({ rule }) => rule);

  it('fail a run', () => {
    expect(rulesOf(met())).toEqual(['beliefs do not overlap']);
  });

  it('do not where a thawed leader of etcd revoked a live lease', () => {
    const story = met().fault('freeze the leader', 3_000, 7_900).session('a', 9_100, revoked);
    expect(rulesOf(story)).toEqual([]);
    const { overlaps } = judge(story.lines, limits);
    expect(overlaps).toHaveLength(1);
    expect(overlaps[0]?.known).toContain('revokes live leases');
    expect(rulesOf(story, 'zookeeper')).toEqual(['beliefs do not overlap']);
  });

  it.each(['3.4.31', '3.5.13', '3.6.0', '3.7.3', '4.0.0'])('fail a run on %s, which has that mended', (version) => {
    const mended = new Story().server(version).hold('a', '1', [0, 10, 9_000]).hold('b', '2', [0, 8_600, 9_500]);
    const story = mended.fault('freeze the leader', 3_000, 7_900).session('a', 9_100, revoked);
    expect(rulesOf(story)).toEqual(['beliefs do not overlap']);
  });

  it.each(['3.3.27', '3.4.30', '3.5.12'])('do not on %s either, which has not', (version) => {
    const broken = new Story().server(version).hold('a', '1', [0, 10, 9_000]).hold('b', '2', [0, 8_600, 9_500]);
    expect(rulesOf(broken.fault('freeze the leader', 3_000, 7_900).session('a', 9_100, revoked))).toEqual([]);
  });

  it('fail a run where the older one went on for longer than that is told', () => {
    const long = new Story().server('3.4.23').hold('a', '1', [0, 10, 9_200]).hold('b', '2', [0, 8_600, 9_500]);
    expect(rulesOf(long.fault('freeze the leader', 3_000, 7_900).session('a', 9_300, revoked))).toEqual([
      'beliefs do not overlap',
    ]);
  });

  it('do not either where it was another of several older ones whose lease was revoked', () => {
    const pool = { primitive: 'semaphore', permits: 2 } as const;
    const three = new Story()
      .server('3.4.23')
      .hold('c', '0', [0, 5, 9_500], pool)
      .hold('a', '1', [0, 10, 9_000], pool)
      .hold('b', '2', [0, 8_600, 9_500], pool);
    expect(rulesOf(three.fault('freeze the leader', 3_000, 7_900).session('a', 9_100, revoked))).toEqual([]);
  });

  it('fail a run where the session of the older one ended otherwise, or no leader was thawed', () => {
    const late = met()
      .fault('freeze the leader', 3_000, 7_900)
      .session('a', 9_100, 'the session was not confirmed in time');
    expect(rulesOf(late)).toEqual(['beliefs do not overlap']);
    expect(rulesOf(met().session('a', 9_100, revoked))).toEqual(['beliefs do not overlap']);
  });
});
