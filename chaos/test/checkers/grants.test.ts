import { describe, expect, it } from 'vitest';
import { overlapsOf } from '../../checkers/beliefs.js';
import { checkFencedWrites } from '../../checkers/fenced-writes.js';
import { grantsOf } from '../../checkers/grants.js';
import { checkTokens } from '../../checkers/tokens.js';
import { checkTurns } from '../../checkers/turns.js';
import { Story } from './story.js';

const rulesOf = (violations: readonly { readonly rule: string }[]): readonly string[] =>
  violations.map(({ rule }) => rule);

describe('tokens', () => {
  it('may rise from grant to grant', () => {
    const story = new Story().hold('a', '1', [0, 10, 20]).hold('b', '2', [5, 30, 40]).hold('c', '3', [35, 50, 60]);
    expect(checkTokens(grantsOf(story.lines))).toEqual([]);
  });

  it('are not granted twice', () => {
    const story = new Story().hold('a', '7', [0, 10, 20]).hold('b', '7', [5, 30, 40]);
    expect(rulesOf(checkTokens(grantsOf(story.lines)))).toEqual(['a token is granted once']);
  });

  it('do not fall for whoever asked after a grant, and may for whoever asked before it', () => {
    const after = new Story().hold('a', '7', [0, 10, 20]).hold('b', '6', [15, 30, 40]);
    expect(rulesOf(checkTokens(grantsOf(after.lines)))).toEqual(['tokens rise']);
    const before = new Story().hold('a', '7', [0, 10, 20], { permits: 2 }).hold('b', '6', [5, 30, 40], { permits: 2 });
    expect(checkTokens(grantsOf(before.lines))).toEqual([]);
  });
});

describe('turns', () => {
  const turnsOf = ({ lines }: Story) => rulesOf(checkTurns(lines, grantsOf(lines)));
  const three = (permits: number): Story =>
    new Story()
      .hold('a', '1', [0, 10, 40], { permits })
      .hold('b', '2', [0, 20, 40], { permits })
      .hold('c', '3', [30, 50, 60], { permits });

  it('come one after the other, as many at a time as there are permits', () => {
    expect(turnsOf(three(2).queue(['1', '2', '3'], 35, 2))).toEqual([]);
    expect(turnsOf(three(1).queue(['2', '3'], 35))).toEqual([]);
  });

  it('are taken by whoever was granted with too many ahead by the order of the store', () => {
    expect(turnsOf(three(1).queue(['1', '2', '3'], 35))).toEqual(['nobody is granted out of turn']);
    expect(turnsOf(three(1).queue(['1', '2', '3'], 35).queue(['1', '2', '3'], 36))).toHaveLength(1);
  });

  it('are not judged by a line that may be as it was before the grant', () => {
    expect(turnsOf(three(1).queue(['1', '2'], 35))).toEqual([]);
    expect(turnsOf(three(1).queue(['1', '2', '9'], 35))).toEqual([]);
  });
});

describe('what tokens guard', () => {
  it('takes writes of one grant after those of another, and refuses the older one', () => {
    const story = new Story().wrote('a', '1', 1).wrote('a', '1', 2).wrote('b', '2', 3).wrote('a', '1', 4, false);
    expect(checkFencedWrites(story.lines)).toEqual([]);
  });

  it('does not take an older token after a newer one', () => {
    const story = new Story().wrote('a', '1', 1).wrote('b', '2', 2).wrote('c', '1', 3);
    expect(rulesOf(checkFencedWrites(story.lines))).toContain('an older token is refused');
  });

  it('does not let two grants of one token take turns', () => {
    const story = new Story().wrote('a', '2', 1).wrote('b', '2', 2).wrote('a', '2', 3);
    expect(rulesOf(checkFencedWrites(story.lines))).toEqual(['accepted writes of two grants do not interleave']);
  });
});

describe('beliefs', () => {
  it('do not overlap where one ends before the next begins', () => {
    const story = new Story().hold('a', '1', [0, 10, 20]).hold('b', '2', [0, 21, 40]);
    expect(overlapsOf(grantsOf(story.lines))).toEqual([]);
  });

  it('overlap from a grant on, until the first of them ends', () => {
    const story = new Story().hold('a', '1', [0, 10, 35]).hold('b', '2', [0, 21, 40]);
    expect(overlapsOf(grantsOf(story.lines))).toMatchObject([{ from: 21, to: 35, grants: [{ id: 'a' }, { id: 'b' }] }]);
  });

  it('of a semaphore may be as many as there are permits', () => {
    const pool = { primitive: 'semaphore', permits: 2 } as const;
    const story = new Story().hold('a', '1', [0, 10, 50], pool).hold('b', '2', [0, 20, 40], pool);
    expect(overlapsOf(grantsOf(story.lines))).toEqual([]);
    story.hold('c', '3', [0, 30, 60], pool);
    expect(overlapsOf(grantsOf(story.lines))).toMatchObject([{ from: 30, to: 40 }]);
  });
});
