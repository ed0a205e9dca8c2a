import type { Grant, SessionState } from '@concordat/core';
import { Subject } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { eventually, outcome, throughout, within } from '../src/eventually.js';
import { Exclusion } from '../src/exclusion.js';
import { requireLegal } from '../src/legal-transitions.js';
import { Recorder } from '../src/recorder.js';

describe('waiting', () => {
  test('eventually answers what the check answered, or throws its last failure', async () => {
    let looks = 0;
    const third = await eventually(() => {
      looks++;
      if (looks < 3) throw new Error('not yet');
      return looks;
    });
    expect(third).toBe(3);
    const never = eventually(() => {
      throw new Error('never');
    }, 30);
    await expect(never).rejects.toThrow('never');
  });

  test('throughout fails as soon as it does not hold', async () => {
    let looks = 0;
    await expect(throughout(5_000, () => expect(++looks).toBeLessThan(3))).rejects.toThrow();
    expect(looks).toBe(3);
  });

  test('within names what did not happen', async () => {
    await expect(within(20, 'the end', new Promise(() => undefined))).rejects.toThrow('the end did not happen');
    expect(await within(1_000, 'the end', Promise.resolve(7))).toBe(7);
    expect((await outcome(Promise.reject(new Error('no')))).rejected).toBe(true);
  });
});

describe('judging', () => {
  test('a recorder tells values, errors and ends', async () => {
    const stream = new Subject<number>();
    const seen = new Recorder(stream);
    stream.next(1);
    stream.next(2);
    expect(await seen.first((value) => value === 1)).toBe(1);
    expect(await seen.settles((value) => value === 2)).toBe(2);
    await expect(seen.settles((value) => value === 1, 30)).rejects.toThrow('2');
    stream.error('broken');
    await seen.end();
    expect([seen.reason, seen.completed, seen.values]).toEqual(['broken', false, [1, 2]]);
  });

  test('an exclusion notices two that hold, and tokens that do not rise', () => {
    const exclusion = new Exclusion();
    exclusion.granted(grantOf(5n));
    exclusion.granted(grantOf(7n));
    exclusion.granted(grantOf(7n));
    expect(exclusion.violations).toHaveLength(4);
    expect(exclusion.tokens).toEqual([5n, 7n, 7n]);
  });

  test('a session may move only as the specification says', () => {
    const states = (...phases: readonly (readonly [SessionState['state'], number])[]): SessionState[] =>
      phases.map(([state, epoch]) => ({ state, epoch, id: null, timeoutMs: 0, reason: null }));
    requireLegal(
      states(['connecting', 1], ['connected', 1], ['suspended', 1], ['lost', 1], ['connecting', 2], ['closed', 2]),
    );
    for (const wrong of [
      states(['connecting', 1], ['suspended', 1]),
      states(['connected', 1], ['connected', 1]),
      states(['lost', 1], ['connecting', 1]),
      states(['connected', 1], ['connecting', 2]),
      states(['closed', 1], ['connecting', 2]),
    ])
      expect(() => requireLegal(wrong)).toThrow();
  });
});

function grantOf(token: bigint): Grant {
  return {
    token,
    fence: '',
    signal: new AbortController().signal,
    safeUntil: 1,
    assertHeld: () => undefined,
    release: () => Promise.resolve(),
    toJSON: () => ({ primitive: 'lock', name: 'a', fence: '' }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
