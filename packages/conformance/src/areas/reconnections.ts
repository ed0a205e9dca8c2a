import { expect } from 'vitest';
import { requireNoMoreThan, resourcesInUse } from '../collect-garbage.js';
import { eventually } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';

/** What many reconnections leave behind: docs/spec/session.md. */
export const reconnections = area('reconnections', (scenario) => {
  // vitess#17076: a connection leaked with each of them.
  scenario.alone('SESS-13', 'leaves no socket and no timer behind over a hundred reconnections', async (fixture) => {
    const client = await fixture.client();
    const { coordinator, states } = client;
    const grant = await coordinator.lock('a').acquire();
    const membership = await coordinator.group('g').join('a', 1);
    const seen = new Recorder(coordinator.config('a').value$);
    await coordinator.config('a').set(1);
    await seen.settles(({ value, stale }) => value === 1 && !stale);
    await reconnect(client, 10);
    const before = resourcesInUse();
    await reconnect(client, 100);
    await eventually(() => requireNoMoreThan(before));
    expect(states.last).toMatchObject({ state: 'connected', epoch: 1 });
    expect([isHeld(grant), membership.signal.aborted]).toEqual([true, false]);
    await coordinator.config('a').set(2);
    await seen.settles(({ value, stale }) => value === 2 && !stale);
  });
});

async function reconnect({ coordinator, link, states }: Client, times: number): Promise<void> {
  for (let round = 0; round < times; round++) {
    const { length } = states.values;
    link.flap();
    await eventually(() => {
      expect(states.values.length).toBeGreaterThan(length + 1);
      expect(states.last?.state).toBe('connected');
    });
    // Every part of the driver has its connection again.
    await coordinator.config('a').get();
  }
}
