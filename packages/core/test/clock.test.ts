import * as os from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SystemClock } from '../src/spi/index.js';

vi.mock('node:os', async (original) => ({ ...(await original<typeof os>()), uptime: vi.fn(() => 0) }));

afterEach(() => vi.restoreAllMocks());

function at(monotonicMs: number, uptimeMs: number): void {
  vi.spyOn(performance, 'now').mockReturnValue(monotonicMs);
  vi.mocked(os.uptime).mockReturnValue(uptimeMs / 1000);
}

describe('the clock of this process', () => {
  it('counts the time that the machine was suspended', () => {
    at(1_000, 50_000);
    const clock = new SystemClock();
    at(1_500, 50_500);
    expect(clock.now()).toBe(1_500);
    at(1_600, 60_600);
    expect(clock.now()).toBe(11_600);
    expect(clock.offset).toBe(10_000);
    at(3_600, 62_600);
    expect(clock.now()).toBe(13_600);
  });

  it('does not take the coarse reading of uptime for a suspend, however often it looks', () => {
    at(0, 0);
    const clock = new SystemClock();
    for (let ms = 10; ms <= 20_000; ms += 10) {
      at(ms, ms + (ms % 100 === 0 ? 20 : -10));
      clock.now();
    }
    expect(clock.offset).toBe(0);
  });

  it('fires timers late rather than early, and not after they were taken back', async () => {
    vi.restoreAllMocks();
    const clock = new SystemClock();
    const start = performance.now();
    let fired = 0;
    clock.setTimer(() => (fired += 100), 5, true).cancel();
    await new Promise<void>((resolve) => clock.setTimer(resolve, 20.5, true));
    expect(performance.now() - start).toBeGreaterThanOrEqual(19.5);
    expect(fired).toBe(0);
  });
});
