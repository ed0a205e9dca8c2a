import { getEventListeners } from 'node:events';
import type { Coordinator, Grant } from '@concordat/core';
import { expect } from 'vitest';
import { heapInUse, requireNoMoreThan, resourcesInUse } from '../collect-garbage.js';
import { eventually, outcome } from '../eventually.js';
import type { Client, Fixture } from '../fixture.js';
import type { WireCounts } from '../harness.js';
import { area } from '../scenario.js';
import { difference, quiet, tally } from '../wire-tally.js';

const handOvers = 4;

/** What the lock costs on the wire and in this process: docs/spec/lock.md. */
export const lockCosts = area('lock costs', (scenario) => {
  scenario.alone(
    'LOCK-30',
    'costs what the harness declares: a free acquire, a release, a hand-over',
    async (fixture) => {
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const { costs } = fixture.harness;
      // The directory is there, and the one who is counted has never seen it: what was learnt before may save a request.
      await other.coordinator.lock('a').with(() => undefined);
      await one.coordinator.ready();
      const before = await quiet(one.link);
      const grant = await one.coordinator.lock('a').acquire();
      const acquired = tally(one.link);
      await grant.release();
      const released = await quiet(one.link);
      expect(difference(acquired, before)).toEqual(costs.acquire);
      expect(difference(released, acquired)).toEqual(costs.release);

      const held = await one.coordinator.lock('a').acquire();
      const waiting = other.coordinator.lock('a').acquire();
      await fixture.lineOf('lock/a', 2);
      const queued = await quiet(other.link);
      await held.release();
      const next = await waiting;
      await next.release();
      expect(difference(difference(await quiet(other.link), queued), costs.release)).toEqual(costs.handOver);
    },
  );

  // The herd: consul#7523 woke every waiter. ZooKeeper paper §2.4: one.
  scenario.alone('LOCK-31', 'costs a release the same with 5 and with 500 waiters', async (fixture) => {
    const few = await costOfHandOvers(fixture, 5);
    const many = await costOfHandOvers(fixture, 500);
    expect(many).toEqual(few);
    const { release, handOver } = fixture.harness.costs;
    expect(few.notifications).toBeLessThanOrEqual(handOvers * (release.notifications + handOver.notifications));
  });

  scenario.alone('LOCK-32', 'serves 500 waiters of one process, in order', async (fixture) => {
    const { coordinator, events } = await fixture.client();
    events.stop();
    const served: number[] = [];
    const held = await coordinator.lock('a').acquire();
    const waiting = Array.from({ length: 500 }, (_, index) =>
      coordinator.lock('a').with(() => {
        served.push(index);
      }),
    );
    await fixture.lineOf('lock/a', 501, 30_000);
    await held.release();
    await Promise.all(waiting);
    expect(served).toHaveLength(500);
    expect(new Set(served).size).toBe(500);
    expect(await fixture.entries('lock/a')).toEqual([]);
  });

  // curator#835, dolphinscheduler#14008, spring-integration#2557: entries and leases that piled up.
  scenario.alone('LOCK-33', 'leaks nothing over 1,000 cycles', async (fixture) => {
    const { coordinator, events, states } = await fixture.client();
    events.stop();
    await cycle(coordinator, 200);
    const before = { heap: heapInUse(), resources: resourcesInUse(), keys: await fixture.keys() };
    await cycle(coordinator, 1_000);
    const grown = heapInUse() - before.heap;
    expect(grown).toBeLessThan(1_000_000);
    expect(await fixture.keys()).toEqual(before.keys);
    await eventually(() => requireNoMoreThan(before.resources));
    expect(states.last?.epoch).toBe(1);
  });

  // Node warns of a leak from the eleventh listener on.
  scenario('LOCK-34', 'listens once to a signal that many waits share', async (fixture) => {
    const { coordinator } = await fixture.client();
    await coordinator.lock('a').acquire();
    const caller = new AbortController();
    const { signal } = caller;
    const waiting = Array.from({ length: 30 }, () => outcome(coordinator.lock('a').acquire({ signal })));
    await fixture.lineOf('lock/a', 31);
    expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(1);
    const reason = new Error('enough');
    caller.abort(reason);
    for (const wait of waiting) expect((await wait).reason).toBe(reason);
    await fixture.lineOf('lock/a', 1);
  });
});

async function cycle(coordinator: Coordinator, times: number): Promise<void> {
  for (let round = 0; round < times; round++) await (await coordinator.lock('a').acquire()).release();
}

/** A holder and that many waiters; what some hand-overs in a row cost them together, but for what the first one hears. */
async function costOfHandOvers(fixture: Fixture, waiters: number): Promise<WireCounts> {
  const [one, other] = (await fixture.clients(2)) as [Client, Client];
  const name = `with ${String(waiters)}`;
  const held = await one.coordinator.lock(name).acquire();
  const caller = new AbortController();
  let served = 0;
  const waiting = Array.from({ length: waiters }, () =>
    outcome(
      other.coordinator
        .lock(name)
        .acquire({ signal: caller.signal })
        .then((grant: Grant) => {
          served++;
          // Released within the same turn, so that no grant is old enough to watch its own entry.
          return served < handOvers ? grant.release() : undefined;
        }),
    ),
  );
  await eventually(
    async () => expect(await fixture.entries(`lock/${encodeURIComponent(name)}`)).toHaveLength(waiters + 1),
    30_000,
  );
  const links = [one.link, other.link];
  const before = await quiet(...links);
  const heard = [one.coordinator.traffic.notifications, other.coordinator.traffic.notifications] as const;
  await held.release();
  await eventually(() => expect(served).toBe(handOvers));
  const cost = difference(await quiet(...links), before);
  const byFirst = one.coordinator.traffic.notifications - heard[0];
  const byOthers = other.coordinator.traffic.notifications - heard[1];
  expect(byFirst + byOthers).toBe(cost.notifications);
  // Old enough, the first holder watches its own entry: whether it is depends on how long the others took to line up.
  expect(byFirst).toBeLessThanOrEqual(1);
  caller.abort();
  await Promise.all(waiting);
  await Promise.all([one.coordinator.close(), other.coordinator.close()]);
  return { ...cost, notifications: byOthers };
}
