import type { Coordinator, Members, Membership } from '@concordat/core';
import { expect } from 'vitest';
import { heapInUse, requireNoMoreThan, resourcesInUse } from '../collect-garbage.js';
import { eventually } from '../eventually.js';
import type { Client, Fixture } from '../fixture.js';
import type { WireCounts } from '../harness.js';
import { Recorder } from '../recorder.js';
import type { Define } from '../scenario.js';
import { difference, quiet } from '../wire-tally.js';

const many = 1_000;

/** What one step costs whoever takes it, and whoever looks. */
interface Cost {
  readonly own: Pick<WireCounts, 'requests' | 'writes'>;
  readonly watching: WireCounts;
}

type Costs = Readonly<Record<'join' | 'update' | 'leave', Cost>>;
type Shown = Members<unknown>;

/** What a group costs on the wire. */
export function groupCosts(scenario: Define): void {
  scenario.alone('GROUP-50', 'costs the same with 1 and with 1,000 members', async (fixture) => {
    const few = await costsBeside(fixture, 1);
    const crowd = await costsBeside(fixture, many);
    const { join, update, leave } = few;
    expect([join.watching.notifications, update.watching.notifications]).toEqual([1, 1]);
    // A store may tell of the member and of the list.
    expect(leave.watching.notifications).toBeLessThanOrEqual(2);
    expect(join.watching.requests).toBeLessThanOrEqual(2);
    expect(update.watching.requests).toBeLessThanOrEqual(1);
    expect(leave.watching.requests).toBeLessThanOrEqual(1);
    for (const step of ['join', 'update', 'leave'] as const) {
      expect([step, few[step].own.writes, crowd[step].own.writes]).toEqual([step, 1, 1]);
      for (const who of ['own', 'watching'] as const) {
        // Beside so many a stall may cost one of them a second look; more than that would be one for each member.
        expect(crowd[step][who].requests, `${step}, ${who}`).toBeLessThanOrEqual(few[step][who].requests + 2);
      }
      const { notifications } = crowd[step].watching;
      expect(notifications, step).toBeLessThanOrEqual(few[step].watching.notifications + 1);
    }
  });

  // curator#835, dolphinscheduler#14008: entries and leases that piled up.
  scenario.alone('GROUP-51', 'leaks nothing over 500 rounds', async (fixture) => {
    const { coordinator, events } = await fixture.client();
    events.stop();
    await rounds(coordinator, 100);
    const before = { heap: heapInUse(), resources: resourcesInUse(), keys: await fixture.keys() };
    await rounds(coordinator, 500);
    expect(heapInUse() - before.heap).toBeLessThan(1_000_000);
    expect(await fixture.keys()).toEqual(before.keys);
    await eventually(() => requireNoMoreThan(before.resources));
  });
}

async function rounds(coordinator: Coordinator, times: number): Promise<void> {
  for (let round = 0; round < times; round++) {
    const membership = await coordinator.group('g').join('a', round);
    await membership.update(-round);
    await membership.leave();
  }
}

async function fill(coordinator: Coordinator, name: string, count: number): Promise<Membership<unknown>[]> {
  const group = coordinator.group(name);
  const ids = Array.from({ length: count }, (_, index) => `m${String(index)}`);
  return Promise.all(ids.map((id) => group.join(id, { id })));
}

async function costsBeside(fixture: Fixture, present: number): Promise<Costs> {
  // A stall of a busy store must not cost a connection here, and be counted.
  const client = (): Promise<Client> => fixture.client({ sessionTimeoutMs: 30_000 });
  const [crowd, watcher, joiner] = await Promise.all([client(), client(), client()]);
  const name = `with ${String(present)}`;
  const joined = await fill(crowd.coordinator, name, present);
  const seen = new Recorder(watcher.coordinator.group(name).members$);
  await seen.settles(({ members }) => members.length === present, 30_000);
  const shown = seen.values.flatMap(({ members }) => members.map(({ id, token, data }) => [id, token, data]));
  const sorted = [...joined].sort((one, other) => (one.id < other.id ? -1 : 1));
  expect(shown).toEqual(sorted.map(({ id, token }) => [id, token, { id }]));
  const count = async (act: () => Promise<unknown>, isSeen: (shown: Shown) => boolean): Promise<Cost> => {
    const before = [await quiet(joiner.link), await quiet(watcher.link)] as const;
    await act();
    await seen.settles(isSeen);
    // Whether the store tells of one's own departure is a race with the end of the watch for it.
    const { requests, writes } = difference(await quiet(joiner.link), before[0]);
    return { own: { requests, writes }, watching: difference(await quiet(watcher.link), before[1]) };
  };
  const joining = joiner.coordinator.group(name);
  let membership: Membership<unknown> | undefined;
  const join = await count(
    async () => (membership = await joining.join('x', 1)),
    ({ members }) => members.length === present + 1,
  );
  const update = await count(
    async () => membership?.update(2),
    ({ members }) => members.some(({ data }) => data === 2),
  );
  const leave = await count(
    async () => membership?.leave(),
    ({ members }) => members.length === present,
  );
  await Promise.all([crowd, watcher, joiner].map(({ coordinator }) => coordinator.close()));
  return { join, update, leave };
}
