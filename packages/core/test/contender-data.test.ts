import { describe, expect, it } from 'vitest';
import { contenderData } from '../src/lines/contender-data.js';

describe('what a contender says of itself', () => {
  it('is taken as it is at that moment', () => {
    const given = Uint8Array.of(1);
    const data = contenderData(given);
    given[0] = 2;
    expect(data).toEqual(Uint8Array.of(1));
    expect(contenderData('')).toEqual(new Uint8Array(0));
  });

  it.each([[null], [5], [[1]], [{ length: 1 }], [new ArrayBuffer(1)]])('is refused when it is %o', (data) => {
    expect(() => contenderData(data as unknown as string)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as Error,
    );
  });

  it('is refused above 1,000,000 bytes', () => {
    expect(() => contenderData(new Uint8Array(1_000_001))).toThrow(
      expect.objectContaining({ code: 'TOO_LARGE' }) as Error,
    );
  });
});
