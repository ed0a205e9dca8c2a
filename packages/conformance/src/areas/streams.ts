import { type Coordinator, json } from '@concordat/core';
import type { Observable } from 'rxjs';
import { expect } from 'vitest';
import { requireNoMoreThan, resourcesInUse } from '../collect-garbage.js';
import { eventually } from '../eventually.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';
import { difference, quiet } from '../wire-tally.js';

const limit = { timeoutMs: 20_000 };

/** What is left of streams that nobody looks at any more: docs/spec/together.md. */
export const streams = area('streams', (scenario) => {
  scenario.alone('MIX-07', 'keeps no timer and no watch for streams that nobody looks at any more', async (fixture) => {
    const [watcher, other] = (await fixture.clients(2)) as [Client, Client];
    const look = async (): Promise<void> => {
      const looking = streamsOf(watcher.coordinator).map((stream) => new Recorder<unknown>(stream));
      // Those that show a state show it at once; two tell only of what happens.
      await eventually(() =>
        expect(looking.filter(({ values }) => values.length > 0).length).toBeGreaterThanOrEqual(10),
      );
      for (const recorder of looking) recorder.stop();
    };
    await change(other.coordinator, 'before');
    await look();
    const before = resourcesInUse();
    for (let round = 0; round < 20; round++) await look();
    await eventually(() => requireNoMoreThan(before));
    // A store whose watches fire once, and cannot be taken back, may still tell of the next change of each.
    await change(other.coordinator, 'first');
    const told = await quiet(watcher.link);
    await change(other.coordinator, 'second');
    const { requests, notifications } = difference(await quiet(watcher.link), told);
    expect({ requests, notifications }).toEqual({ requests: 0, notifications: 0 });
  });
});

function streamsOf(coordinator: Coordinator): readonly Observable<unknown>[] {
  const [election, group, bundle] = [coordinator.election('a'), coordinator.group('a'), coordinator.bundle('a')];
  const { read, write } = coordinator.readWriteLock('a');
  return [
    coordinator.session$,
    coordinator.events$,
    coordinator.lock('a').contenders$,
    read.contenders$,
    write.contenders$,
    coordinator.semaphore('a', 2).contenders$,
    election.leader$,
    election.isLeader$,
    group.members$,
    group.changes$,
    coordinator.config('a', json).value$,
    bundle.value$,
    bundle.setting$('a'),
  ];
}

/** Something new on everything that is looked at. */
async function change(coordinator: Coordinator, what: string): Promise<void> {
  const { read } = coordinator.readWriteLock('a');
  await coordinator.lock('a').with(() => undefined, limit);
  await read.with(() => undefined, limit);
  await coordinator.semaphore('a', 2).with(() => undefined, limit);
  await coordinator.election('a').lead(() => undefined, { requeue: false, ...limit });
  const membership = await coordinator.group('a').join(what, 1, limit);
  await membership.leave();
  await coordinator.config('a', json).set(what, limit);
  await coordinator.bundle('a').publish({ a: what }, limit);
}
