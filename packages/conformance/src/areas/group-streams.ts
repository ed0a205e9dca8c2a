import { type Codec, CoordinationError, text } from '@concordat/core';
import { expect } from 'vitest';
import { distinct } from '../distinct.js';
import { eventually, throughout } from '../eventually.js';
import type { Client } from '../fixture.js';
import { required } from '../lines.js';
import { Recorder } from '../recorder.js';
import type { Define } from '../scenario.js';

const even: Codec<number> = {
  encode: (value) => text.encode(String(value)),
  decode: (stored) => {
    const value = Number(text.decode(stored));
    if (value % 2 === 0) return value;
    throw new CoordinationError('BACKEND', 'it is odd');
  },
};

/** Who is there, and what changes. */
export function groupStreams(scenario: Define): void {
  // pulsar's children that were sorted differently on each side; patroni PR1573: stale members shown.
  scenario('GROUP-20', 'shows the same to everybody, sorted, each id once', async (fixture) => {
    const clients = await fixture.clients(3);
    const ids = ['b', 'B', 'a', 'ä', '10', '9', '🙂', '\uFFFD', 'a/b', 'a-b'];
    const watching = clients.map(({ coordinator }) => new Recorder(coordinator.group('g').members$));
    await Promise.all(
      ids.map(async (id, index) => {
        const group = required(clients[index % 3]).coordinator.group('g');
        const membership = await group.join(id, 0);
        for (let round = 1; round <= 4; round++) await membership.update(round);
        if (index % 2 === 1) await membership.leave();
      }),
    );
    const left = ids.filter((_, index) => index % 2 === 0).sort();
    for (const seen of watching) {
      await seen.settles(({ members }) => members.map(({ id }) => id).join() === left.join());
      await eventually(() => expect(seen.last?.members.every(({ data }) => data === 4)).toBe(true));
      for (const { members } of seen.values) {
        const shown = members.map(({ id }) => id);
        expect(shown).toEqual([...new Set(shown)].sort());
      }
    }
    const [first, ...rest] = watching.map(({ last }) => last?.members.map(({ id, token }) => [id, token]));
    for (const other of rest) expect(other).toEqual(first);
  });

  scenario('GROUP-27', 'shows the oldest of two with the same id', async (fixture) => {
    const { coordinator } = await fixture.client();
    const membership = await coordinator.group('g').join('a', 'first');
    const store = await fixture.store();
    await store.enter('group/g', { kind: 'member:a', data: '"second"' });
    const seen = new Recorder(coordinator.group('g').members$);
    await seen.first(() => true);
    expect(seen.last?.members).toMatchObject([{ id: 'a', data: 'first', token: membership.token }]);
    await membership.leave();
    await seen.settles(({ members }) => members[0]?.data === 'second');
    const shown = distinct(seen.values, ({ members }) => members.map(({ data }) => data));
    expect(shown.map(({ members }) => members.length)).toEqual([1, 1]);
  });

  // openstack/tooz commit 173183c: the capabilities of another member.
  scenario('GROUP-21', 'shows each with what it says itself', async (fixture) => {
    const [watcher, ...clients] = await fixture.clients(3);
    const seen = new Recorder(required(watcher).coordinator.group('g').members$);
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const id = `m${String(index)}`;
        const membership = await required(clients[index % 2])
          .coordinator.group('g')
          .join(id, { id, round: 0 });
        for (let round = 1; round <= 5; round++) await membership.update({ id, round });
      }),
    );
    await seen.settles(
      ({ members }) => members.length === 20 && members.every(({ data }) => (data as { round: number }).round === 5),
    );
    for (const { members } of seen.values) for (const { id, data } of members) expect(data).toMatchObject({ id });
  });

  scenario('GROUP-22', 'shows who cannot be read as such, and the others as they are', async (fixture) => {
    const { coordinator } = await fixture.client();
    const group = coordinator.group('g', even);
    const odd = await group.join('odd', 1);
    await group.join('even', 2);
    const seen = new Recorder(group.members$);
    await seen.settles(({ members }) => members.length === 2);
    expect(seen.last?.members).toMatchObject([
      { id: 'even', data: 2, error: null },
      { id: 'odd', data: undefined, error: { code: 'BACKEND' } },
    ]);
    await odd.update(4);
    await seen.settles(({ members }) => members[1]?.data === 4 && members[1].error === null);
    expect(seen.ended).toBe(false);
  });

  // pulsar#14177, apisix#13067: an outage that was taken for an empty cluster.
  scenario('GROUP-23', 'keeps what it showed over an outage, and then shows what was missed', async (fixture) => {
    const [watcher, other] = (await fixture.clients(2)) as [Client, Client];
    const a = await other.coordinator.group('g').join('a', 1);
    const seen = new Recorder(watcher.coordinator.group('g').members$);
    const changes = new Recorder(watcher.coordinator.group('g').changes$);
    await seen.settles(({ members, stale }) => members.length === 1 && !stale);
    watcher.link.cut();
    const { members: kept } = await seen.settles(({ stale }) => stale);
    expect(kept.map(({ id }) => id)).toEqual(['a']);
    // In this order, so that nobody may see it empty.
    await other.coordinator.group('g').join('b', 2);
    await a.leave();
    await throughout(fixture.timeoutMs / 8, () => expect(seen.last?.members).toBe(kept));
    watcher.link.heal();
    await seen.settles(({ members, stale }) => !stale && members.map(({ id }) => id).join() === 'b');
    for (const { members } of seen.values) expect(members).not.toEqual([]);
    expect(changes.values.map(({ type, member }) => `${type} ${member.id}`)).toEqual([
      'joined a',
      'left a',
      'joined b',
    ]);
    expect(seen.ended || changes.ended).toBe(false);
  });

  // dolphinscheduler#18640: a departure without the name of who left.
  scenario('GROUP-24', 'tells who came, changed and left, with what it said', async (fixture) => {
    const [watcher, other] = (await fixture.clients(2)) as [Client, Client];
    const group = other.coordinator.group('g');
    const a = await group.join('a', 'one');
    const b = await group.join('b', 'two');
    const changes = new Recorder(watcher.coordinator.group('g').changes$);
    const told = (): unknown[] => changes.values.map(({ type, member: { id, data } }) => [type, id, data]);
    await eventually(() => expect(changes.values).toHaveLength(2));
    await a.update('three');
    await eventually(() => expect(changes.values).toHaveLength(3));
    await b.leave();
    await eventually(() => expect(changes.values).toHaveLength(4));
    const c = await group.join('c', 'four');
    await eventually(() => expect(changes.values).toHaveLength(5));
    expect(told()).toEqual([
      ['joined', 'a', 'one'],
      ['joined', 'b', 'two'],
      ['updated', 'a', 'three'],
      ['left', 'b', 'two'],
      ['joined', 'c', 'four'],
    ]);
    const tokens = [a.token, b.token, a.token, b.token, c.token];
    expect(changes.values.map(({ member }) => member.token)).toEqual(tokens);
    expect(changes.values[2]).toMatchObject({ before: { id: 'a', data: 'one', token: a.token } });
  });

  scenario('GROUP-25', 'is watched once, and only while somebody looks', async (fixture) => {
    const [watcher, other] = (await fixture.clients(2)) as [Client, Client];
    const membership = await other.coordinator.group('g').join('a', 0);
    // A group that is new may be told of twice: its place is made first.
    await other.coordinator.group('h').join('b', 0);
    const notifications = (): number => watcher.link.wire.notifications;
    const look = (): { stop(): void; settles(data: number): Promise<unknown> } => {
      const seen = new Recorder(watcher.coordinator.group('g').members$);
      return {
        stop: () => seen.stop(),
        settles: (data) => seen.settles(({ members }) => members[0]?.data === data),
      };
    };
    const watching = Array.from({ length: 20 }, look);
    for (const seen of watching) await seen.settles(0);
    const before = notifications();
    await membership.update(1);
    for (const seen of watching) await seen.settles(1);
    expect(notifications() - before).toBe(1);
    const [last, ...rest] = watching;
    for (const seen of rest) seen.stop();
    await membership.update(2);
    await last?.settles(2);
    const stopped = notifications();
    last?.stop();
    const elsewhere = new Recorder(watcher.coordinator.group('h').members$);
    await elsewhere.settles(({ members }) => members.length === 1);
    // What a store cannot take back is told once more at most.
    for (let data = 3; data < 8; data++) await membership.update(data);
    await other.coordinator.group('h').join('a', 0);
    await elsewhere.settles(({ members }) => members.length === 2);
    expect(notifications() - stopped).toBeLessThanOrEqual(2);
  });

  // Vitess, tooz and valkeyrie showed their own bookkeeping: peers.md (b) 10.
  scenario('GROUP-26', 'shows nothing that is no member', async (fixture) => {
    const [store, client] = await Promise.all([fixture.store(), fixture.client()]);
    await store.store('group/g/config', 'x', { expect: 'absent', ephemeral: true });
    await store.enter('group/g', { kind: 'lock', data: '1' });
    await store.enter('group/g', { kind: 'member:%61', data: '1' });
    const seen = new Recorder(client.coordinator.group('g').members$);
    await seen.first(() => true);
    await client.coordinator.group('g').join('a', 1);
    await client.coordinator.lock('g').acquire();
    await client.coordinator.semaphore('g', 2).acquire();
    await seen.settles(({ members }) => members.length > 0);
    await store.store('group/g/config', 'y');
    await throughout(200, () => {
      const shown = seen.values.map(({ members }) => members.map(({ id }) => id));
      expect(distinct(shown, (ids) => ids)).toEqual([[], ['a']]);
    });
  });
}
