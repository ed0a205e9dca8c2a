import { expect, it } from 'vitest';
import { Retreat } from '../src/retreat.js';

it('pauses about twice as long each time, up to half a second, and ends at once when it is given up', async () => {
  const asked: number[] = [];
  let passes = true;
  const setTimer = (callback: () => void, delayMs: number) => {
    asked.push(delayMs);
    if (passes) queueMicrotask(callback);
    return { cancel: () => undefined };
  };
  const giveUp = new AbortController();
  const retreat = new Retreat({ now: () => 0, offset: 0, setTimer }, giveUp.signal);
  const expected = [20, 40, 80, 160, 320, 500, 500, 500];
  for (const pauseMs of expected) {
    await retreat.wait();
    expect(asked.at(-1)).toBeGreaterThanOrEqual(pauseMs / 2);
    expect(asked.at(-1)).toBeLessThanOrEqual(pauseMs * 1.5);
  }
  passes = false;
  const waiting = retreat.wait();
  giveUp.abort();
  await waiting;
  await retreat.wait();
  expect(asked).toHaveLength(expected.length + 1);
});
