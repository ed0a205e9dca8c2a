import { inspect } from 'node:util';
import type { CoordinationEvent } from '@concordat/core';
import { expect } from 'vitest';
import { eventually, outcome, throughout } from '../eventually.js';
import type { Client } from '../fixture.js';
import { required } from '../lines.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';

type Type = CoordinationEvent['type'];
type Told<T extends Type> = Extract<CoordinationEvent, { type: T }>;

/** What `events$` says, and what of it others may count on: docs/spec/events.md. */
export const events = area('events', (scenario) => {
  scenario('EVENT-01', 'tells each grant with its token and how long the call waited', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const free = await one.coordinator.lock('a').acquire();
    const from = performance.now();
    const waiting = other.coordinator.lock('a').acquire();
    await fixture.lineOf('lock/a', 2);
    await throughout(100, () => undefined);
    await free.release();
    const grant = await waiting;
    const waited = performance.now() - from;
    expect(told(one, 'acquired')).toMatchObject([{ primitive: 'lock', name: 'a', token: free.token }]);
    const [acquired] = told(other, 'acquired');
    expect(acquired).toMatchObject({ token: grant.token, reason: null });
    expect(required(acquired).waitedMs).toBeGreaterThanOrEqual(100);
    expect(required(acquired).waitedMs).toBeLessThanOrEqual(waited);
    await grant.release();
  });

  scenario('EVENT-02', 'tells the end of each grant once, with how long it was held', async (fixture) => {
    const { coordinator, events: log, states } = await fixture.client();
    const released = await coordinator.lock('released').acquire();
    await throughout(50, () => undefined);
    await released.release();
    await released.release();
    const deleted = await coordinator.lock('deleted').acquire();
    const [entry] = await fixture.lineOf('lock/deleted', 1);
    await fixture.world.operator.deleteEntry(fixture.namespace, 'lock/deleted', required(entry));
    await log.first(({ type }) => type === 'grant-lost');
    await deleted.release();
    const expired = await coordinator.lock('expired').acquire();
    await fixture.expire({ states });
    await states.first(({ state, epoch }) => state === 'connected' && epoch === 2);
    await expired.release();
    const closed = await coordinator.lock('closed').acquire();
    await coordinator.close();
    const ends = log.values.filter((event) => endsAGrant(event));
    expect(ends).toMatchObject([
      { type: 'released', name: 'released', token: released.token, reason: null },
      { type: 'grant-lost', name: 'deleted', token: deleted.token, reason: { code: 'GRANT_LOST' } },
      { type: 'grant-lost', name: 'expired', token: expired.token, reason: { code: 'GRANT_LOST' } },
      { type: 'released', name: 'closed', token: closed.token, reason: { code: 'CLOSED' } },
    ]);
    for (const { heldMs } of ends) expect(heldMs).toBeGreaterThanOrEqual(0);
    expect(ends[0]?.heldMs).toBeGreaterThanOrEqual(50);
    expect(told(log, 'acquired').map(({ token }) => token)).toEqual(ends.map(({ token }) => token));
  });

  scenario(
    'EVENT-09',
    'tells the end of a grant whose session is over before its entry is removed',
    async (fixture) => {
      const { coordinator, events: log, states, link } = await fixture.client();
      const grant = await coordinator.lock('a').acquire();
      link.blackhole();
      const releasing = grant.release();
      await states.first(({ state }) => state === 'lost');
      await releasing;
      const ends = log.values.filter((event) => endsAGrant(event));
      expect(ends).toMatchObject([{ type: 'released', token: grant.token, reason: { code: 'SESSION_LOST' } }]);
      // From the grant to the call, not to the loss.
      expect(ends[0]?.heldMs).toBeLessThan(fixture.timeoutMs / 3);
      link.heal();
    },
  );

  scenario('EVENT-03', 'tells each wait that ends without a grant, and why', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    await one.coordinator.lock('a').acquire();
    const lock = other.coordinator.lock('a');
    expect(await lock.tryAcquire()).toBeUndefined();
    const [tried] = told(other, 'gave-up');
    expect(tried).toMatchObject({ name: 'a', entry: null, reason: null });
    const late = await outcome(lock.acquire({ timeoutMs: 200 }));
    const reason = new Error('not needed any more');
    const controller = new AbortController();
    const before = told(other, 'entry-created').length;
    const aborted = outcome(lock.acquire({ signal: controller.signal }));
    const created = await eventually(() => required(told(other, 'entry-created')[before]));
    controller.abort(reason);
    await aborted;
    const [, timedOut, gone] = told(other, 'gave-up');
    expect(timedOut?.reason).toBe(late.reason);
    expect(required(timedOut).waitedMs).toBeGreaterThanOrEqual(199);
    expect(gone).toMatchObject({ reason, entry: created.entry });
    other.link.cut();
    await outcome(lock.acquire({ timeoutMs: 100 }));
    await eventually(() => expect(told(other, 'gave-up')).toHaveLength(4));
    expect(told(other, 'acquired')).toEqual([]);
    other.link.heal();
  });

  scenario('EVENT-04', 'tells a lost place, and counts the wait from the call', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const held = await one.coordinator.lock('a').acquire();
    const waiting = other.coordinator.lock('a').acquire();
    const from = performance.now();
    const [, entry] = await fixture.lineOf('lock/a', 2);
    await fixture.expire(other);
    await eventually(() => expect(told(other, 'entry-created')).toHaveLength(2));
    const stoodAgain = performance.now() - from;
    expect(told(other, 'requeued')).toMatchObject([{ name: 'a', entry, reason: { code: 'SESSION_LOST' } }]);
    await held.release();
    await waiting;
    expect(told(other, 'acquired')[0]?.waitedMs).toBeGreaterThanOrEqual(stoodAgain);
    expect(told(other, 'gave-up')).toEqual([]);
  });

  scenario('EVENT-05', 'tells each request with its operation, its duration and its code', async (fixture) => {
    const client = await fixture.client();
    await (await client.coordinator.lock('a').acquire()).release();
    const answered = told(client, 'request');
    expect(answered.map(({ operation }) => operation)).toEqual(expect.arrayContaining(['enter', 'leave']));
    for (const { code, durationMs } of answered) {
      expect(code).toBeNull();
      expect(durationMs).toBeGreaterThanOrEqual(0);
      expect(durationMs).toBeLessThan(fixture.requestMs);
    }
    client.link.blackhole();
    await outcome(client.coordinator.lock('a').tryAcquire());
    const silent = await eventually(() => required(told(client, 'request')[answered.length]));
    expect(silent).toMatchObject({ operation: 'first', code: 'UNAVAILABLE' });
    expect(silent.durationMs).toBeGreaterThanOrEqual(fixture.requestMs - 1);
    client.link.heal();
  });

  scenario('EVENT-06', 'costs nothing on the wire, and repeats nothing', async (fixture) => {
    const { coordinator, events: log } = await fixture.client();
    const cycles = async (): Promise<number> => {
      const before = coordinator.traffic.requests;
      for (let round = 0; round < 20; round++) await coordinator.lock('a').with(() => undefined);
      return coordinator.traffic.requests - before;
    };
    await cycles();
    const heard = await cycles();
    log.stop();
    const unheard = await cycles();
    const [most, least] = [Math.max(heard, unheard), Math.min(heard, unheard)];
    // A driver that knows that nobody came or went sends less: then the first of several is another one.
    expect(most - least).toBeLessThanOrEqual(2);
    const late = new Recorder(coordinator.events$);
    await throughout(50, () => expect(late.values).toEqual([]));
    await coordinator.close();
    expect([late.values.at(-1)?.type, late.completed]).toEqual(['session-closed', true]);
  });

  scenario('EVENT-07', 'never holds the data of a contender', async (fixture) => {
    const { coordinator, events: log } = await fixture.client();
    await using _grant = await coordinator.lock('a').acquire({ data: 'hush' });
    await outcome(coordinator.lock('a').acquire({ data: 'hush', timeoutMs: 100 }));
    expect(log.values.length).toBeGreaterThan(4);
    const bytes = inspect(Buffer.from('hush')).slice('<Buffer '.length, -1);
    for (const event of log.values) {
      const text = inspect(event, { depth: 9 });
      expect(text).not.toContain('hush');
      expect(text).not.toContain(bytes);
    }
  });

  scenario('EVENT-10', 'tells once of a member that does not come back', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const membership = await one.coordinator.group('taken').join('a', 1);
    const leaver = await one.coordinator.group('left').join('a', 1);
    one.link.cut();
    await one.states.settles(({ state }) => state === 'suspended');
    await fixture.expire(one);
    await eventually(() => other.coordinator.group('taken').join('a', 2));
    await one.states.first(({ state }) => state === 'lost');
    await throughout(50, () => undefined);
    await leaver.leave();
    one.link.heal();
    await eventually(() => expect(membership.signal.aborted).toBe(true), fixture.timeoutMs * 3);
    const given = told(one, 'gave-up');
    const reasons = { taken: { code: 'ALREADY_EXISTS' }, left: { code: 'NOT_HELD' } };
    expect(given.map(({ name }) => name).sort()).toEqual(['left', 'taken']);
    for (const [name, reason] of Object.entries(reasons)) {
      const event = given.find((each) => each.name === name);
      expect(event).toMatchObject({ primitive: 'group', token: null, reason });
      expect(event?.waitedMs).toBeGreaterThanOrEqual(50);
    }
  });

  scenario('EVENT-08', 'says how long the session is safe, and that it is not', async (fixture) => {
    const { coordinator, link, states } = await fixture.client();
    await using _grant = await coordinator.lock('a').acquire();
    const longest = fixture.timeoutMs - fixture.marginMs;
    const first = coordinator.safeUntil;
    await throughout(fixture.timeoutMs / 2, () => {
      const left = coordinator.safeUntil - performance.now();
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(longest);
    });
    await eventually(() => expect(coordinator.safeUntil).toBeGreaterThan(first));
    link.blackhole();
    await states.first(({ state }) => state === 'lost');
    expect(coordinator.safeUntil).toBe(0);
    link.heal();
    await states.settles(({ state }) => state === 'connected');
    expect(coordinator.safeUntil).toBeGreaterThan(performance.now());
    await coordinator.close();
    expect(coordinator.safeUntil).toBe(0);
  });
});

function told<T extends Type>(from: Client | Recorder<CoordinationEvent>, type: T): Told<T>[] {
  const { values } = from instanceof Recorder ? from : from.events;
  return values.filter((event): event is Told<T> => event.type === type);
}

function endsAGrant(event: CoordinationEvent): event is Told<'released'> | Told<'grant-lost'> {
  return event.type === 'grant-lost' || (event.type === 'released' && event.heldMs !== null);
}
