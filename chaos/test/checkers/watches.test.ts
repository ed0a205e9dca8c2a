import { describe, expect, it } from 'vitest';
import { checkWatches } from '../../checkers/watches.js';
import { Story } from './story.js';

const rulesOf = (story: Story): readonly string[] => checkWatches(story.lines).map(({ rule }) => rule);

describe('observers', () => {
  it('may skip what came and went, and see the same again', () => {
    expect(
      rulesOf(new Story().saw('a', '1', 1).saw('a', '3', 2).saw('a', '3', 3).saw('b', '2', 4).final('3', '3', 9)),
    ).toEqual([]);
  });

  it('never go back', () => {
    expect(rulesOf(new Story().saw('a', '3', 1).saw('a', '2', 2))).toEqual(['an observer never goes back']);
  });

  it('never go back past a time in which there was nothing', () => {
    const story = new Story()
      .saw('a', '3', 1, 'p', 'leader')
      .saw('a', null, 2, null, 'leader')
      .saw('a', '2', 3, 'q', 'leader');
    expect(rulesOf(story)).toEqual(['an observer never goes back']);
  });

  it('are not shown that nothing is there when nobody deleted it', () => {
    expect(rulesOf(new Story().saw('a', null, 1).saw('a', '3', 2))).toEqual([]);
    expect(rulesOf(new Story().saw('a', '3', 1).saw('a', null, 2))).toEqual(['an observer never goes back']);
  });

  it('agree on who has a token', () => {
    const story = new Story().saw('a', '3', 1, 'p', 'leader').saw('b', '3', 2, 'q', 'leader');
    expect(rulesOf(story)).toEqual(['one leader per token']);
  });

  it('find nobody in a line when all have left it', () => {
    const story = new Story();
    story.lines.push({ kind: 'final', what: 'line', name: 'n', by: 'a', shown: '', stored: '', at: 9 });
    expect(rulesOf(story)).toEqual([]);
    story.lines.push({ kind: 'final', what: 'line', name: 'n', by: 'b', shown: '7', stored: '7', at: 9 });
    expect(rulesOf(story)).toEqual(['nobody is left in a line']);
  });

  it('end with what is stored: an event that was dropped is noticed', () => {
    expect(rulesOf(new Story().saw('a', '3', 1).final('3', '4', 9))).toEqual(['an observer ends with what is stored']);
  });
});
