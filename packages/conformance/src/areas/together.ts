import { CoordinationError, type Coordinator, type Grant, json } from '@concordat/core';
import { lastValueFrom } from 'rxjs';
import { expect } from 'vitest';
import { eventually, outcome, within } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client, Fixture } from '../fixture.js';
import type { WireCounts } from '../harness.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';
import { difference, quiet } from '../wire-tally.js';

const limit = { timeoutMs: 20_000 };

/** Every primitive beside every other: docs/spec/together.md. */
export const together = area('together', (scenario) => {
  scenario('MIX-01', 'runs every primitive on one session under one name at once', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const grants = await holdEverything(one.coordinator);
    const passed = passEverything(one.coordinator, other.coordinator);
    await within(20_000, 'everything that does not wait for a grant', passed);
    for (const grant of grants) expect(isHeld(grant)).toBe(true);
    expect(new Set(grants.map(({ token }) => token)).size).toBe(grants.length);
    expect(await other.coordinator.lock('a').tryAcquire()).toBeUndefined();
    expect(await other.coordinator.readWriteLock('a').write.tryAcquire()).toBeUndefined();
    expect(await other.coordinator.semaphore('a', 2).tryAcquire()).toBeUndefined();
    await Promise.all(grants.map((grant) => grant.release()));
    await Promise.all((await holdEverything(other.coordinator)).map((grant) => grant.release()));
    expect(entriesIn(await fixture.keys())).toEqual([]);
  });

  scenario('MIX-02', 'ends all that was granted before anybody is told of the loss of the session', async (fixture) => {
    const client = await fixture.client();
    const { coordinator, states } = client;
    const grants = await holdEverything(coordinator);
    const membership = await coordinator.group('a').join('me', 1, limit);
    const before = membership.token;
    const campaign = new Recorder(coordinator.election('b').campaign());
    await campaign.first(({ state }) => state === 'leading');
    const heldAtLoss: boolean[] = [];
    coordinator.session$.subscribe(({ state }) => {
      if (state === 'lost')
        heldAtLoss.push(...grants.map(({ signal }) => !signal.aborted), campaign.last?.state === 'leading');
    });
    await fixture.expire({ states });
    await campaign.first(({ state }) => state === 'lost');
    expect(heldAtLoss).toEqual([...grants.map(() => false), false]);
    // What lives on by itself does so in the next session, beside everything granted anew.
    await eventually(() => expect(membership.token).toBeGreaterThan(before));
    await eventually(() => expect(campaign.last?.state).toBe('leading'));
    const again = await holdEverything(coordinator);
    for (const [index, grant] of again.entries()) expect(grant.token).toBeGreaterThan(grants[index]?.token ?? 0n);
    campaign.stop();
    await Promise.all(again.map((grant) => grant.release()));
  });

  scenario('MIX-03', 'leaves nothing but registers when the coordinator closes', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    await holdEverything(one.coordinator);
    await one.coordinator.group('a').join('me', 1, limit);
    const waiting = one.coordinator.barrier('closed');
    await waiting.close(limit);
    const outcomes = Promise.allSettled([
      one.coordinator.lock('a').acquire(),
      waiting.wait(),
      one.coordinator.doubleBarrier('a', 2).enter(),
      one.coordinator.rendezvous('nobody').wait(),
    ]);
    await fixture.lineOf('lock/a', 2);
    await one.coordinator.close();
    for (const { status, ...rest } of await outcomes) {
      expect(status).toBe('rejected');
      expect(CoordinationError.is((rest as PromiseRejectedResult).reason, 'CLOSED')).toBe(true);
    }
    expect(entriesIn(await fixture.keys()).filter((key) => !key.startsWith('session/'))).toEqual([]);
    await Promise.all((await holdEverything(other.coordinator)).map((grant) => grant.release()));
  });

  scenario(
    'MIX-05',
    'refuses options that are none, and a signal that is none, before anything is sent',
    async (fixture) => {
      const { coordinator, link } = await fixture.client();
      await coordinator.ready(limit);
      const { requests } = link.wire;
      for (const wrong of [null, 5, 'x', { signal: null }, { signal: {} }, { signal: new AbortController() }])
        for (const [what, call] of Object.entries(waitsOf(coordinator, wrong as object)))
          expect((await outcome(call())).reason, what).toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect(link.wire.requests).toBe(requests);
    },
  );

  scenario('MIX-06', 'refuses work and codecs that are none, before anything is sent', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    await coordinator.ready(limit);
    const { requests } = link.wire;
    for (const wrong of [undefined, null, {}, Promise.resolve()] as never[])
      for (const call of [
        () => coordinator.lock('a').with(wrong),
        () => coordinator.election('a').lead(wrong),
        () => coordinator.idempotency('a').run('a', wrong),
      ])
        expect((await outcome(call())).reason).toMatchObject({ code: 'INVALID_ARGUMENT' });
    for (const wrong of [null, {}, { encode: json.encode }, 'json'] as never[])
      for (const open of [
        () => coordinator.election('a', wrong),
        () => coordinator.group('a', wrong),
        () => coordinator.config('a', wrong),
        () => coordinator.rendezvous('a', wrong),
        () => coordinator.idempotency('a', wrong),
      ])
        expect(open).toThrow('codec');
    expect(link.wire.requests).toBe(requests);
  });

  scenario.alone(
    'MIX-04',
    'costs the same with 200 elections, 1,000 members and 1,000 settings on one coordinator as with few of each',
    async (fixture) => {
      // Two members, so that the last one never leaves: a store may remove an empty directory, and making it again costs more.
      const few = await costOfChanges(fixture, { elections: 1, members: 2, settings: 1 });
      const many = await costOfChanges(fixture, { elections: 200, members: 1_000, settings: 1_000 });
      expect(many).toEqual(few);
      for (const [what, { notifications }] of Object.entries(few))
        expect(notifications, what).toBeLessThanOrEqual(what === 'leave' ? 2 : 1);
    },
  );
});

interface Population {
  readonly elections: number;
  readonly members: number;
  readonly settings: number;
}

/** What one more candidate, member or value costs a client that watches them all, and what joining costs. */
async function costOfChanges(fixture: Fixture, { elections, members, settings }: Population) {
  const [many, watcher] = (await fixture.clients(2)) as [Client, Client];
  many.events.stop();
  watcher.events.stop();
  const { coordinator } = many;
  const label = `n${String(members)}`;
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${label}-${String(index)}`);
  const leaders = numbers(elections).map((name) => coordinator.election(name));
  const campaigns = leaders.map((election) => new Recorder(election.campaign()));
  const config = (name: string) => watcher.coordinator.config(`${label}/${name}`, json);
  const group = coordinator.group(label);
  await Promise.all(campaigns.map((campaign) => campaign.first(({ state }) => state === 'leading', 30_000)));
  const joined = await Promise.all(numbers(members).map((id) => group.join(id, 0, { timeoutMs: 60_000 })));
  // A hundred at a time: each is one request, with the limit of one.
  const names = numbers(settings);
  for (let first = 0; first < names.length; first += 100)
    await Promise.all(
      names.slice(first, first + 100).map((name) => coordinator.config(`${label}/${name}`, json).set(0, limit)),
    );

  const seen = numbers(elections).map((name) => new Recorder(watcher.coordinator.election(name).leader$));
  const values = numbers(settings).map((name) => new Recorder(config(name).value$));
  const group$ = new Recorder(watcher.coordinator.group(label).members$);
  await Promise.all(seen.map((leader) => leader.settles((last) => last !== undefined, 30_000)));
  await Promise.all(values.map((value) => value.settles((last) => last.value === 0, 30_000)));
  await group$.settles((last) => last.members.length === members, 30_000);

  const costs: Record<string, WireCounts> = {};
  const measure = async (what: string, change: () => unknown, shown: () => boolean): Promise<void> => {
    const before = await quiet(watcher.link);
    await change();
    await eventually(() => expect(shown()).toBe(true));
    costs[what] = difference(await quiet(watcher.link), before);
  };
  await measure(
    'proclaim',
    () => leaders[0]?.proclaim('new', limit),
    () => seen[0]?.last?.value === 'new',
  );
  await measure(
    'set',
    () => coordinator.config(`${label}/${label}-0`, json).set(1, limit),
    () => values[0]?.last?.value === 1,
  );
  await measure(
    'update',
    () => joined[0]?.update(1, limit),
    () => group$.last?.members.some(({ data }) => data === 1) === true,
  );
  await measure(
    'leave',
    () => joined[0]?.leave(),
    () => group$.last?.members.length === members - 1,
  );
  const before = await quiet(many.link);
  await group.join('late', 0, limit);
  costs['joining'] = { ...difference(await quiet(many.link), before), notifications: 1 };
  for (const recorder of [...campaigns, ...seen, ...values, group$]) recorder.stop();
  await many.coordinator.close();
  await watcher.coordinator.close();
  return costs;
}

/** One grant of each primitive that grants, all under one name. */
async function holdEverything(coordinator: Coordinator): Promise<readonly Grant[]> {
  const { read } = coordinator.readWriteLock('a');
  const semaphore = coordinator.semaphore('a', 2);
  const election = coordinator.election('a');
  const led = new Promise<Grant>((resolve, reject) => {
    election.campaign({ requeue: false }).subscribe({
      next: (step) => {
        if (step.state === 'leading') resolve(step.grant);
      },
      error: reject,
    });
  });
  return Promise.all([
    coordinator.lock('a').acquire(limit),
    read.acquire(limit),
    read.acquire(limit),
    semaphore.acquire(limit),
    semaphore.acquire(limit),
    led,
  ]);
}

/** Once through each primitive that grants nothing, under the same name. */
async function passEverything(one: Coordinator, other: Coordinator): Promise<void> {
  const [mine, theirs] = [one.doubleBarrier('a', 2), other.doubleBarrier('a', 2)];
  const barrier = one.barrier('a');
  await barrier.close(limit);
  const meeting = other.rendezvous('a', json).wait(limit);
  const opened = other.barrier('a').wait(limit);
  const membership = await one.group('a').join('me', 1, limit);
  await Promise.all([
    one.config('a', json).set({ a: 1 }, limit),
    one.bundle('a').publish({ a: '1' }, limit),
    one.idempotency('a').run('a', () => 1, limit),
    Promise.all([mine.enter(limit), theirs.enter(limit)]).then(() =>
      Promise.all([mine.leave(limit), theirs.leave(limit)]),
    ),
    barrier.open(limit),
    opened,
    one
      .rendezvous('a', json)
      .publish('here', limit)
      .then(async (publication) => {
        expect(await meeting).toBe('here');
        await publication.withdraw();
      }),
  ]);
  expect((await other.config('a', json).get(limit))?.value).toEqual({ a: 1 });
  expect(await other.idempotency('a').run('a', () => 2, limit)).toBe(1);
  await membership.leave();
}

/** Everything that takes limits, called with `options`. */
function waitsOf(coordinator: Coordinator, options: object): Record<string, () => Promise<unknown>> {
  const lock = coordinator.lock('a');
  const election = coordinator.election('a');
  const gate = coordinator.idempotency('a');
  return {
    ready: () => coordinator.ready(options),
    configKeys: async () => coordinator.configKeys('', options),
    acquire: async () => lock.acquire(options),
    tryAcquire: () => lock.tryAcquire(options),
    with: () => lock.with(() => undefined, options),
    hold: () => lastValueFrom(lock.hold(options)),
    campaign: async () => lastValueFrom(election.campaign(options)),
    lead: async () => election.lead(() => undefined, options),
    join: () => coordinator.group('a').join('a', 1, options),
    get: async () => coordinator.config('a').get(options),
    set: async () => coordinator.config('a').set(1, options),
    publish: async () => coordinator.bundle('a').publish({ a: '1' }, options),
    wait: async () => coordinator.barrier('a').wait(options),
    enter: () => coordinator.doubleBarrier('a', 2).enter(options),
    meet: () => coordinator.rendezvous('a').wait(options),
    run: () => gate.run('a', () => 1, options),
    keys: async () => gate.keys(options)[Symbol.asyncIterator]().next(),
    sweep: () => gate.sweep(options),
  };
}

function entriesIn(keys: readonly string[]): readonly string[] {
  return keys.filter((key) => /^(lock|rw|sem|election|group|once\/a\/lock)\/[^/]+\/./.test(key));
}
