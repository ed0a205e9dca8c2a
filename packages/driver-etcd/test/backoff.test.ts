import { expect, it } from 'vitest';
import { Backoff } from '../src/backoff.js';

/** The pauses of that many tries in a row, each over at once. */
async function pausesOf(backoff: Backoff, asked: readonly number[], tries: number): Promise<readonly number[]> {
  const { length } = asked;
  for (let left = tries; left > 0; left -= 1) await backoff.wait();
  return asked.slice(length);
}

it('pauses about twice as long each time, up to its limit, and begins anew after a success', async () => {
  const asked: number[] = [];
  const setTimer = (callback: () => void, delayMs: number) => {
    asked.push(delayMs);
    callback();
    return { cancel: () => undefined };
  };
  const backoff = new Backoff({ now: () => 0, offset: 0, setTimer }, 50, 2_000);
  const expected = [50, 100, 200, 400, 800, 1_600, 2_000, 2_000];
  const pauses = await pausesOf(backoff, asked, expected.length);
  for (const [index, pauseMs] of pauses.entries()) {
    expect(pauseMs).toBeGreaterThanOrEqual((expected[index] ?? 0) / 2);
    expect(pauseMs).toBeLessThanOrEqual(expected[index] ?? 0);
  }
  backoff.reset();
  const [first] = await pausesOf(backoff, asked, 1);
  expect(first).toBeLessThanOrEqual(50);
});
