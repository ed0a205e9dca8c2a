import { expect } from 'vitest';
import { codeOf, eventually, outcome, throughout, within } from '../eventually.js';
import type { Client } from '../fixture.js';
import { required } from '../lines.js';
import { Recorder } from '../recorder.js';
import type { Define } from '../scenario.js';

/** What becomes of members when connections, sessions and entries end. */
export function groupLoss(scenario: Define): void {
  // tooz, Dubbo and DolphinScheduler: peers.md (b) 1 and 17; dubbo-js#80, shardingsphere#22278 and #16183: lost for good after an expiry.
  scenario('GROUP-30', 'comes back after its session, with a greater token', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const changes = new Recorder(other.coordinator.group('g').changes$);
    const membership = await one.coordinator.group('g').join('a', 'me');
    await one.coordinator.group('g').join('b', 'me too');
    const states = new Recorder(membership.state$);
    const before = membership.token;
    await eventually(() => expect(changes.values).toHaveLength(2));
    await fixture.expire(one);
    await states.first(({ state }) => state === 'away');
    await states.settles(({ state }) => state === 'member');
    expect(membership.token).toBeGreaterThan(before);
    expect(states.last).toEqual({ state: 'member', token: membership.token });
    const reasons = states.values.flatMap((shown) => (shown.state === 'away' ? [codeOf(shown.reason)] : []));
    expect(reasons.at(-1)).toBe('SESSION_LOST');
    expect(membership.signal.aborted).toBe(false);
    await eventually(() => {
      const ofA = changes.values.filter(({ member }) => member.id === 'a');
      expect(ofA.map(({ type, member }) => [type, member.token, member.data])).toEqual([
        ['joined', before, 'me'],
        ['left', before, 'me'],
        ['joined', membership.token, 'me'],
      ]);
    });
    await membership.update('still me');
    await changes.settles(({ type, member }) => type === 'updated' && member.data === 'still me');
    await membership.leave();
    await fixture.lineOf('group/g', 1);
    expect(one.events.values.some(({ type }) => type === 'grant-lost')).toBe(true);
  });

  // dolphinscheduler PR5211: deleted and made its node anew on a reconnection, so that others saw a death.
  scenario('GROUP-31', 'stays itself over reconnections', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const changes = new Recorder(other.coordinator.group('g').changes$);
    const membership = await one.coordinator.group('g').join('a', 0);
    const states = new Recorder(membership.state$);
    const { token } = membership;
    for (let round = 1; round <= 5; round++) {
      const before = one.states.values.length;
      one.link.flap();
      await eventually(() => {
        expect(one.states.values.length).toBeGreaterThan(before);
        expect(one.states.last?.state).toBe('connected');
      });
      await membership.update(round, { timeoutMs: 10_000 });
    }
    await changes.settles(({ member }) => member.data === 5);
    expect(changes.values.map(({ type }) => type).filter((type) => type !== 'updated')).toEqual(['joined']);
    expect(changes.values.every(({ member }) => member.token === token)).toBe(true);
    expect(states.values).toEqual([{ state: 'member', token }]);
  });

  // tooz: a member forcibly removed learns it; elasticjob#1857 and #2383 took an expiry for that. peers.md (b) 5.
  scenario('GROUP-33', 'is told when it was removed by hand, and stays away', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const group = one.coordinator.group('g');
    const removed = await group.join('a', 1);
    const states = new Recorder(removed.state$);
    const [entry] = await fixture.lineOf('group/g', 1);
    const beside = await group.join('b', 1);
    await fixture.world.operator.deleteEntry(fixture.namespace, 'group/g', required(entry));
    await eventually(() => expect(removed.signal.aborted).toBe(true), 5_000);
    expect(removed.signal.reason).toMatchObject({ code: 'GRANT_LOST', cause: { code: 'NOT_FOUND' } });
    expect(states.completed).toBe(true);
    expect((await outcome(removed.update(2))).reason).toBe(removed.signal.reason);
    await throughout(fixture.timeoutMs / 8, async () => expect(await fixture.entries('group/g')).toHaveLength(1));
    expect(beside.signal.aborted).toBe(false);
    expect(one.states.last).toMatchObject({ state: 'connected', epoch: 1 });
    await removed.leave();
    const next = await other.coordinator.group('g').join('a', 3);
    expect(next.token).toBeGreaterThan(removed.token);
  });

  // go-zookeeper#229: a ghost after a lost reply; patroni#1783: "exists" after one's own creation.
  scenario('GROUP-36', 'joins once though the reply is lost, or the request applied late', async (fixture) => {
    const [swallowed, late] = (await fixture.clients(2)) as [Client, Client];
    for (const name of ['g', 'h']) await (await late.coordinator.group(name).join('x', 0)).leave();
    swallowed.link.swallowReplies();
    const first = outcome(swallowed.coordinator.group('g').join('a', 1));
    await fixture.lineOf('group/g', 1);
    swallowed.link.heal();
    const { requests } = late.coordinator.traffic;
    late.link.holdRequests();
    const second = outcome(late.coordinator.group('h').join('a', 1));
    await fixture.sent(late.coordinator, requests);
    await late.link.deliverHeld();
    for (const [name, joining] of [
      ['g', first],
      ['h', second],
    ] as const) {
      const membership = required((await joining).value);
      expect(membership.signal.aborted).toBe(false);
      await throughout(fixture.timeoutMs / 8, async () =>
        expect(await fixture.entries(`group/${name}`)).toHaveLength(1),
      );
      await membership.update(2);
    }
  });

  scenario('GROUP-38', 'says so when it cannot know what became of an update', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const membership = await one.coordinator.group('g').join('a', 1);
    const seen = new Recorder(other.coordinator.group('g').members$);
    await seen.settles(({ members }) => members[0]?.data === 1);
    one.link.swallowReplies();
    const { reason } = await within(fixture.requestMs * 2, 'an answer', outcome(membership.update(2)));
    expect(reason).toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false });
    one.link.heal();
    await membership.update(3, { timeoutMs: 20_000 });
    await seen.settles(({ members }) => members[0]?.data === 3);
    expect(membership.signal.aborted).toBe(false);
  });
}
