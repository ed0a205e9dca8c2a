import type { Codec, Coordinator, Membership } from '@concordat/core';
import { bytes, text } from '@concordat/core';
import { expect } from 'vitest';
import { codeOf, eventually, outcome, throughout, within } from '../eventually.js';
import type { Client } from '../fixture.js';
import { required } from '../lines.js';
import { Recorder } from '../recorder.js';
import type { Define } from '../scenario.js';

const oddIds = ['a', 'a/b', 'a%2Fb', '.', '..', 'a:b', 'member:a', '\u0000', 'é', '名前', '🙂', 'x'.repeat(128)];

/** Joining, updating and leaving. */
export function groupMembers(scenario: Define): void {
  scenario('GROUP-01', 'makes a member that everybody sees', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const seen = new Recorder(other.coordinator.group('g').members$);
    const own = new Recorder(one.coordinator.group('g').members$);
    await seen.settles(({ members, stale }) => members.length === 0 && !stale);
    const membership = await one.coordinator.group('g').join('a', { port: 1 });
    const { id, token, signal } = membership;
    expect([id, token > 0n, signal.aborted]).toEqual(['a', true, false]);
    const states = new Recorder(membership.state$);
    expect(states.values).toEqual([{ state: 'member', token }]);
    const member = { id: 'a', data: { port: 1 }, token, own: false, error: null };
    await seen.settles(({ members }) => members.length === 1);
    expect(seen.last).toEqual({ members: [member], stale: false });
    await own.settles(({ members }) => members.length === 1);
    expect(own.last).toEqual({ members: [{ ...member, own: true }], stale: false });
  });

  scenario('GROUP-02', 'takes any id, and any name', async (fixture) => {
    const { coordinator } = await fixture.client();
    const joined = await Promise.all(oddIds.map((id) => coordinator.group('g').join(id, id)));
    const seen = new Recorder(coordinator.group('g').members$);
    await seen.settles(({ members }) => members.length === oddIds.length);
    expect(seen.last?.members.map(({ id, data }) => [id, data])).toEqual([...oddIds].sort().map((id) => [id, id]));
    expect(new Set(joined.map(({ token }) => token)).size).toBe(oddIds.length);
    for (const name of oddIds) await coordinator.group(name, text).join('me', name);
    for (const name of oddIds) {
      const there = new Recorder(coordinator.group(name, text).members$);
      await there.settles(({ members }) => members.length === 1);
      expect(there.last?.members[0]).toMatchObject({ id: 'me', data: name });
      there.stop();
    }
  });

  // tooz: joining with an id already present fails, joining twice by the same client fails cleanly; peers.md (b) 4.
  scenario('GROUP-03', 'refuses an id that somebody has', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const membership = await one.coordinator.group('g').join('a', 1);
    const refused = await outcome(other.coordinator.group('g').join('a', 2));
    expect(refused.reason).toMatchObject({ code: 'ALREADY_EXISTS', retryable: false });
    await fixture.lineOf('group/g', 1);
    const before = one.link.wire.writes;
    expect(codeOf((await outcome(one.coordinator.group('g').join('a', 3))).reason)).toBe('ALREADY_EXISTS');
    expect(one.link.wire.writes).toBe(before);
    expect(membership.signal.aborted).toBe(false);
    const others = await Promise.all([
      other.coordinator.group('g').join('b', 4),
      other.coordinator.group('h').join('a', 5),
    ]);
    expect(others.map(({ id }) => id)).toEqual(['b', 'a']);
  });

  // pulsar#11690: of two contenders both failed.
  scenario('GROUP-04', 'lets exactly one of several in', async (fixture) => {
    const clients = await fixture.clients(3);
    const tokens: bigint[] = [];
    for (let round = 0; round < 8; round++) {
      const joins = await Promise.all(
        clients.map(({ coordinator }) => outcome(coordinator.group('g').join('a', round))),
      );
      const won = joins.flatMap(({ value }) => (value === undefined ? [] : [value]));
      expect(won).toHaveLength(1);
      const lost = joins.filter(({ rejected }) => rejected);
      expect(lost.map(({ reason }) => codeOf(reason))).toEqual(['ALREADY_EXISTS', 'ALREADY_EXISTS']);
      const winner = required(won[0]);
      await fixture.lineOf('group/g', 1);
      tokens.push(winner.token);
      await winner.leave();
    }
    expect(tokens).toEqual([...tokens].sort((a, b) => (a < b ? -1 : 1)));
  });

  scenario('GROUP-05', 'has an id free again when its member is gone', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const tokens: bigint[] = [];
    const join = async (coordinator: Coordinator): Promise<Membership<unknown>> => {
      const membership = await eventually(() => coordinator.group('g').join('a', null));
      tokens.push(membership.token);
      return membership;
    };
    await (await join(one.coordinator)).leave();
    await (await join(other.coordinator)).leave();
    await join(one.coordinator);
    await one.coordinator.close();
    const last = await join(other.coordinator);
    other.link.cut();
    await fixture.expire(other);
    await join((await fixture.client()).coordinator);
    expect(last.token).toBe(tokens[3]);
    expect(tokens).toHaveLength(5);
    for (const [index, token] of tokens.slice(1).entries()) expect(token).toBeGreaterThan(tokens[index] ?? 0n);
  });

  scenario('GROUP-06', 'shows what a member says last', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const seen = new Recorder(other.coordinator.group('g').members$);
    const membership = await one.coordinator.group('g').join('a', 'first');
    const { token } = membership;
    await membership.update('second');
    await seen.settles(({ members }) => members[0]?.data === 'second');
    await Promise.all(Array.from({ length: 30 }, (_, index) => membership.update(index)));
    await seen.settles(({ members }) => members[0]?.data === 29);
    await throughout(100, () => expect(seen.last?.members).toMatchObject([{ data: 29, token }]));
    expect(membership.token).toBe(token);
    const shown = seen.values.flatMap(({ members }) => members.map(({ data }) => data));
    const numbers = shown.filter((data) => typeof data === 'number');
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  // OpenStack Launchpad 2144906: ghosts that a later clean-up was to remove.
  scenario('GROUP-07', 'leaves for good, and takes nobody along', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const membership = await one.coordinator.group('g').join('a', 1);
    await one.coordinator.group('g').join('b', 1);
    const states = new Recorder(membership.state$);
    const leaving = membership.leave();
    expect(membership.signal.aborted).toBe(true);
    expect(membership.signal.reason).toMatchObject({ code: 'NOT_HELD' });
    expect(states.completed).toBe(true);
    await leaving;
    expect(await fixture.entries('group/g')).toHaveLength(1);
    const next = await other.coordinator.group('g').join('a', 2);
    await membership.leave();
    await membership[Symbol.asyncDispose]();
    expect(next.signal.aborted).toBe(false);
    await fixture.lineOf('group/g', 2);
    expect(membership.token).toBeLessThan(next.token);
    await next[Symbol.asyncDispose]();
    await fixture.lineOf('group/g', 1);
    one.link.flap();
    const third = await one.coordinator.group('g').join('a', 3);
    one.link.flap();
    await within(10_000, 'leaving over a reconnection', third.leave());
    await fixture.lineOf('group/g', 1);
  });

  scenario('GROUP-08', 'refuses updates when it is over', async (fixture) => {
    const { coordinator } = await fixture.client();
    const left = await coordinator.group('g').join('a', 1);
    await left.leave();
    expect((await outcome(left.update(2))).reason).toBe(left.signal.reason);
    const closed = await coordinator.group('g').join('b', 1);
    await coordinator.close();
    expect(codeOf((await outcome(closed.update(2))).reason)).toBe('CLOSED');
    expect(closed.signal.reason).toMatchObject({ code: 'CLOSED' });
    expect(codeOf((await outcome(coordinator.group('g').join('c', 1))).reason)).toBe('CLOSED');
  });

  scenario('GROUP-09', 'keeps the limits of a join, and leaves nothing', async (fixture) => {
    const [one, silent] = (await fixture.clients(2)) as [Client, Client];
    const caller = new AbortController();
    const before = one.link.wire.writes;
    const mine = { signal: AbortSignal.abort('mine') };
    expect((await outcome(one.coordinator.group('g').join('a', 1, mine))).reason).toBe('mine');
    expect(codeOf((await outcome(one.coordinator.group('g').join('a', 1, { timeoutMs: 0 }))).reason)).toBe('TIMEOUT');
    expect(one.link.wire.writes).toBe(before);
    await (await silent.coordinator.group('g').join('a', 0)).leave();
    silent.link.swallowReplies();
    const from = performance.now();
    const timed = await outcome(silent.coordinator.group('g').join('a', 1, { timeoutMs: 300 }));
    const aborted = outcome(silent.coordinator.group('g').join('b', 1, { signal: caller.signal }));
    caller.abort('mine');
    expect(timed.reason).toMatchObject({ code: 'TIMEOUT' });
    expect(timed.at - from).toBeLessThan(1_300);
    expect((await aborted).reason).toBe('mine');
    // What it left is still on its way out.
    const again = outcome(silent.coordinator.group('g').join('a', 2, { timeoutMs: 20_000 }));
    silent.link.heal();
    expect((await again).value?.signal.aborted).toBe(false);
    await fixture.lineOf('group/g', 1);
    await throughout(fixture.timeoutMs / 8, async () => expect(await fixture.entries('group/g')).toHaveLength(1));
  });

  scenario(
    'GROUP-52',
    'says what it was given when its codec hands on the very bytes of its caller',
    async (fixture) => {
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const given: Codec<Uint8Array> = { encode: (value) => value, decode: (value) => value };
      const seen = new Recorder(other.coordinator.group('g', bytes).members$);
      const value = Uint8Array.of(1);
      const membership = await one.coordinator.group('g', given).join('a', value);
      value[0] = 2;
      const updating = membership.update(value);
      value[0] = 3;
      await updating;
      await seen.settles(({ members }) => members[0]?.data?.[0] === 2);
      await membership.update(value);
      await seen.settles(({ members }) => members[0]?.data?.[0] === 3);
    },
  );

  scenario('GROUP-10', 'refuses what is wrong before anything is sent', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const group = coordinator.group('g', bytes);
    const membership = await group.join('a', Uint8Array.of(1));
    const { writes } = link.wire;
    const large = new Uint8Array(1_000_001);
    const none = new Uint8Array(0);
    const wrong = [
      group.join('', none),
      group.join('x'.repeat(129), large),
      group.join('\uD800', large),
      group.join(1 as unknown as string, large),
      group.join('b', none),
      group.join('b', 'text' as unknown as Uint8Array),
      group.join('b', large, { timeout: 1 } as object),
      group.join('b', large, { timeoutMs: -1 }),
      membership.update(none),
      membership.update(large, { timeout: 1 } as object),
    ];
    for (const call of wrong) expect(codeOf((await outcome<unknown>(call)).reason)).toBe('INVALID_ARGUMENT');
    expect(codeOf((await outcome(group.join('b', large))).reason)).toBe('TOO_LARGE');
    expect(codeOf((await outcome(membership.update(large))).reason)).toBe('TOO_LARGE');
    expect(() => coordinator.group('')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(link.wire.writes).toBe(writes);
    await membership.update(new Uint8Array(1_000_000));
  });

  // OpenStack Launchpad 2144906 and peers.md (b) 6: disconnecting removes the members before the call returns.
  scenario('GROUP-11', 'has its members removed when closed, and every stream completed', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const group = one.coordinator.group('g');
    const memberships = await Promise.all(['a', 'b', 'c'].map((id) => group.join(id, id)));
    const streams = [group.members$, group.changes$, ...memberships.map(({ state$ }) => state$)].map(
      (stream) => new Recorder<unknown>(stream),
    );
    await eventually(() => expect(streams.every(({ values }) => values.length > 0)).toBe(true));
    await one.coordinator.close();
    expect(await fixture.entries('group/g')).toEqual([]);
    for (const { signal } of memberships) expect(signal.reason).toMatchObject({ code: 'CLOSED' });
    for (const { completed } of streams) expect(completed).toBe(true);
    for (const membership of memberships) await membership.leave();
    await other.coordinator.group('g').join('a', 1);
  });

  // OpenStack Launchpad 1839691: a member's lease that nobody refreshed.
  scenario('GROUP-12', 'keeps a member for as long as its session', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const membership = await one.coordinator.group('g').join('a', 1);
    const { token } = membership;
    const seen = new Recorder(other.coordinator.group('g').members$);
    await seen.settles(({ members }) => members.length === 1);
    await throughout(fixture.timeoutMs * 1.25, () => {
      expect(seen.last?.members).toMatchObject([{ id: 'a', token }]);
      expect(membership.token).toBe(token);
    });
    // Nobody came or went, whatever an outage may have marked.
    for (const { members } of seen.values) expect(members).toBe(seen.last?.members);
  });
}
