import { expect } from 'vitest';
import type { Client } from '../fixture.js';
import { area } from '../scenario.js';

const handOvers = 20;
const limitMs = 1_000;

/** How soon a lock is handed over: docs/spec/lock.md. */
export const handOver = area('hand-over', (scenario) => {
  // Vitess' suite: its next waiter has a time limit.
  scenario.alone('LOCK-35', 'is granted to the next within a second of the release', async (fixture) => {
    const clients = (await fixture.clients(2)) as [Client, Client];
    let held = await clients[0].coordinator.lock('a').acquire();
    for (let turn = 1; turn <= handOvers; turn++) {
      const next = clients[turn % 2]?.coordinator.lock('a').acquire();
      await fixture.lineOf('lock/a', 2);
      const releasedAt = performance.now();
      // Not awaited: the entry is gone before its owner hears of that.
      const released = held.release();
      held = (await next) ?? held;
      expect(performance.now() - releasedAt).toBeLessThan(limitMs);
      await released;
    }
    expect(held.signal.aborted).toBe(false);
  });
});
