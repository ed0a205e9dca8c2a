import { beforeEach, describe, expect, it } from 'vitest';
import { LineHeads } from '../src/line-heads.js';

let heads: LineHeads;

beforeEach(() => {
  heads = new LineHeads();
});

describe('an entry', () => {
  it('is first once the only one ahead of it is gone', () => {
    heads.standsBehind('b', 'a');
    expect(heads.isFirst('b')).toBe(false);
    heads.gone('x');
    expect(heads.isFirst('b')).toBe(false);
    heads.gone('a');
    expect(heads.isFirst('b')).toBe(true);
  });

  it('of which nothing was learnt is never first', () => {
    heads.gone('a');
    expect(heads.isFirst('b')).toBe(false);
  });

  it('is forgotten when it leaves, and on another connection', () => {
    heads.standsBehind('b', 'a');
    heads.forget('b');
    heads.gone('a');
    expect(heads.isFirst('b')).toBe(false);
    heads.standsBehind('c', 'a');
    heads.gone('a');
    heads.clear();
    expect(heads.isFirst('c')).toBe(false);
  });
});
