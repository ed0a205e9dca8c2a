import { describe, expect, it } from 'vitest';
import { Random } from '../../random.js';

describe('a seed', () => {
  const draws = (seed: number, stream: string): readonly number[] => {
    const random = new Random(seed, stream);
    return Array.from({ length: 100 }, () => random.next());
  };

  it('decides what is drawn, stream by stream', () => {
    expect(draws(7, 'a')).toEqual(draws(7, 'a'));
    expect(draws(7, 'a')).not.toEqual(draws(7, 'b'));
    expect(draws(7, 'a')).not.toEqual(draws(8, 'a'));
  });

  it('draws from the whole range', () => {
    const all = draws(7, 'a');
    expect(Math.min(...all)).toBeLessThan(0.1);
    expect(Math.max(...all)).toBeGreaterThan(0.9);
    expect(all.every((value) => value >= 0 && value < 1)).toBe(true);
  });
});
