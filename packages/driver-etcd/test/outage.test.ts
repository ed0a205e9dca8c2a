import { type Clock, systemClock } from '@concordat/core/spi';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openBackend } from './support/open-backend.js';

it('keeps the process alive while no server can be reached, and no longer than until it is closed', async () => {
  const keeping = new Set<object>();
  // What a process lives on while there is no connection: timers that are still to fire.
  const clock: Clock = {
    now: () => systemClock.now(),
    offset: 0,
    setTimer: (callback, delayMs, keepAlive) => {
      const mark = {};
      const fire = (): void => {
        keeping.delete(mark);
        callback();
      };
      const timer = systemClock.setTimer(fire, delayMs, keepAlive);
      if (keepAlive === true) keeping.add(mark);
      const cancel = (): void => {
        keeping.delete(mark);
        timer.cancel();
      };
      return { cancel };
    },
  };
  const opened = openBackend(['127.0.0.1:1'], { clock });
  onTestFinished(() => opened.close());
  await vi.waitUntil(() => opened.session.trouble !== null);
  await vi.waitUntil(() => keeping.size > 0);
  await opened.close();
  expect(keeping.size).toBe(0);
});
