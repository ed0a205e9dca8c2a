import { expect } from 'vitest';
import { codeOf, eventually, nextTurn, outcome, throughout, within } from '../eventually.js';
import type { Client } from '../fixture.js';
import { required } from '../lines.js';
import { Recorder } from '../recorder.js';
import type { Define } from '../scenario.js';

/** How members come back, and when not. */
export function groupReturn(scenario: Define): void {
  scenario('GROUP-32', 'brings along what it was told while away', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const seen = new Recorder(other.coordinator.group('g').members$);
    const membership = await one.coordinator.group('g').join('a', 'old');
    const { token } = membership;
    const states = new Recorder(membership.state$);
    one.link.cut();
    await states.settles(({ state }) => state === 'away', fixture.timeoutMs * 2);
    const limited = await outcome(membership.update('limited', { timeoutMs: 200 }));
    expect(limited.reason).toMatchObject({ code: 'TIMEOUT' });
    expect((await outcome(membership.update('aborted', { signal: AbortSignal.abort('mine') }))).reason).toBe('mine');
    const updates = ['new', 'newest'].map((data) => membership.update(data));
    one.link.heal();
    await Promise.all(updates);
    expect(membership.token).toBeGreaterThan(token);
    await seen.settles(({ members }) => members[0]?.token === membership.token);
    const shown = seen.values.flatMap(({ members }) => members).filter((member) => member.token === membership.token);
    expect(new Set(shown.map(({ data }) => data))).toEqual(new Set(['newest']));
  });

  scenario('GROUP-34', 'is told when somebody took its id while it was away', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const membership = await one.coordinator.group('g').join('a', 1);
    const beside = await one.coordinator.group('g').join('b', 1);
    const states = new Recorder(membership.state$);
    one.link.cut();
    await one.states.settles(({ state }) => state === 'suspended');
    await fixture.expire(one);
    const next = await eventually(() => other.coordinator.group('g').join('a', 2));
    one.link.heal();
    await eventually(() => expect(membership.signal.aborted).toBe(true), fixture.timeoutMs * 3);
    expect(membership.signal.reason).toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(states.completed).toBe(true);
    expect(states.last).toMatchObject({ state: 'away' });
    await fixture.lineOf('group/g', 2);
    await throughout(100, () => {
      expect(next.signal.aborted).toBe(false);
      expect(beside.signal.aborted).toBe(false);
    });
    expect(codeOf((await outcome(membership.update(3))).reason)).toBe('ALREADY_EXISTS');
  });

  // patroni#774: kept out by its own earlier session.
  scenario('GROUP-35', 'is itself again though its old entry was there', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const membership = await one.coordinator.group('g').join('a', 1);
    const states = new Recorder(membership.state$);
    const seen = new Recorder(other.coordinator.group('g').members$);
    const { token } = membership;
    one.link.blackhole();
    const healing = states.first(({ state }) => state === 'away', fixture.timeoutMs * 2).then(() => one.link.heal());
    // Whoever asks before the old entry went is refused, and must not cost the one who comes back his id.
    const refusals = healing.then(() => outcome(other.coordinator.group('g').join('a', 2)));
    await healing;
    const refused = await refusals;
    await refused.value?.leave();
    await states.settles(({ state }) => state === 'member', fixture.timeoutMs * 3);
    await seen.settles(({ members }) => members[0]?.token === membership.token);
    expect(membership.token).toBeGreaterThan(token);
    await throughout(fixture.timeoutMs, async () => {
      expect(membership.signal.aborted).toBe(false);
      expect(states.last?.state).toBe('member');
      expect(await fixture.entries('group/g')).toHaveLength(1);
    });
  });

  scenario('GROUP-37', 'takes back its return when it leaves', async (fixture) => {
    const [one, cut] = (await fixture.clients(2)) as [Client, Client];
    for (let turns = 0; turns < 6; turns++) {
      const epoch = required(one.states.last).epoch;
      const membership = await one.coordinator.group('g').join('a', turns);
      await fixture.expire(one);
      await eventually(() => expect(one.states.last?.epoch).toBeGreaterThan(epoch));
      for (let turn = 0; turn < turns * 2; turn++) await nextTurn();
      await within(10_000, 'leaving', membership.leave());
      expect(membership.signal.reason).toMatchObject({ code: 'NOT_HELD' });
      await one.states.settles(({ state }) => state === 'connected');
      await throughout(50, async () => expect(await fixture.entries('group/g')).toEqual([]));
    }
    const membership = await cut.coordinator.group('g').join('b', 1);
    const states = new Recorder(membership.state$);
    cut.link.cut();
    await states.settles(({ state }) => state === 'away', fixture.timeoutMs * 2);
    const from = performance.now();
    await membership.leave();
    expect(performance.now() - from).toBeLessThan(500);
    cut.link.heal();
    await cut.states.settles(({ state }) => state === 'connected');
    await throughout(fixture.timeoutMs / 8, async () => expect(await fixture.entries('group/g')).toEqual([]));
  });

  scenario.alone('GROUP-39', 'has everybody back after the store was frozen past the timeout', async (fixture) => {
    const clients = await fixture.clients(3);
    const memberships = await Promise.all(
      clients.map(({ coordinator }, index) => coordinator.group('g').join(`m${String(index)}`, index)),
    );
    const states = memberships.map(({ state$ }) => new Recorder(state$));
    const seen = new Recorder(required(clients[0]).coordinator.group('g').members$);
    await seen.settles(({ members }) => members.length === 3);
    await fixture.server.freeze();
    for (const of of states) await of.settles(({ state }) => state === 'away', fixture.timeoutMs * 2);
    await fixture.server.thaw();
    for (const of of states) await of.settles(({ state }) => state === 'member', 30_000);
    const tokens = memberships.map(({ token }) => token);
    await seen.settles(({ members }) => members.map(({ token }) => token).join() === tokens.join());
    for (const { signal } of memberships) expect(signal.aborted).toBe(false);
    await fixture.lineOf('group/g', 3);
  });

  scenario('GROUP-40', 'outlasts somebody who is refused, and keeps its id', async (fixture) => {
    const [client, store] = await Promise.all([fixture.client(), fixture.store()]);
    const membership = await client.coordinator.group('g').join('a', 1);
    const states = new Recorder(membership.state$);
    // Somebody met the old entry, and is slow to go.
    const doomed = await store.enter('group/g', { kind: 'member:a', data: '2' });
    await fixture.expire(client);
    await states.first(({ state }) => state === 'away');
    await eventually(async () => {
      const entries = await fixture.entries('group/g');
      expect(entries).toHaveLength(2);
      expect(entries[0]).toBe(doomed.entry.name);
    });
    await throughout(fixture.timeoutMs / 4, () => expect(states.last?.state).toBe('away'));
    await store.leave(doomed.entry);
    await states.settles(({ state }) => state === 'member');
    expect(membership.signal.aborted).toBe(false);
    await fixture.lineOf('group/g', 1);
  });
}
