import { expect } from 'vitest';
import { eventually, throughout } from '../eventually.js';
import { twoStores } from '../lines.js';
import { area } from '../scenario.js';
import { textOf } from '../store-client.js';
import { difference, quiet } from '../wire-tally.js';

/** What a watch shows while nothing is broken: docs/spec/watches.md. */
export const watches = area('watches', (scenario) => {
  scenario('WATCH-01', 'starts with what is there, or with null', async (fixture) => {
    const store = await fixture.store();
    const stored = await store.store('config/a', 'one');
    const present = store.watch('config/a');
    const absent = store.watch('config/b');
    await present.first(() => true);
    await absent.first(() => true);
    expect(present.values).toEqual([stored]);
    expect(absent.values).toEqual([null]);
    present.stop();
    absent.stop();
  });

  // Values that went back or a last one that never came: dskit's and pulsar's reports, peers.md (b) 23, (c) 69.
  scenario('WATCH-02', 'goes on with newer states only, repeats none, and ends with the last', async (fixture) => {
    const [watcher, ...writers] = await fixture.stores(3);
    if (watcher === undefined) throw new Error('three stores were asked for');
    const seen = watcher.watch('config/a');
    await seen.first(() => true);
    await Promise.all(
      writers.map(async (writer) => {
        for (let round = 0; round < 60; round++) await writer.store('config/a', `${writer.id} ${String(round)}`);
      }),
    );
    const last = await watcher.get('config/a');
    await seen.settles((register) => register?.version === last?.version);
    const versions = seen.values.map((register) => register?.version ?? 0n);
    expect(versions.every((version, index) => index === 0 || version > (versions[index - 1] ?? 0n))).toBe(true);
    seen.stop();
  });

  scenario('WATCH-03', 'tells of a deletion, and of what is made after it', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    const first = await other.store('config/a', 'same');
    const seen = watcher.watch('config/a');
    await seen.settles((register) => register?.version === first.version);
    await other.delete('config/a');
    await seen.settles((register) => register === null);
    const second = await other.store('config/a', 'same');
    await seen.settles((register) => register?.version === second.version);
    expect(seen.values.map(textOf)).toEqual(['same', null, 'same']);
    seen.stop();
  });

  scenario('WATCH-04', 'takes a missing directory for an empty one, and sees its first child', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    for (const data of [true, false]) {
      const dir = `group/${String(data)}`;
      const seen = watcher.watchChildren(dir, data);
      await seen.settles((children) => children.length === 0);
      await other.store(`${dir}/a`, 'x', { expect: 'absent', ephemeral: true });
      await seen.settles((children) => children.map(({ name }) => name).join() === 'a');
      expect(seen.values).toHaveLength(2);
      seen.stop();
    }
  });

  scenario('WATCH-05', 'shows children with their registers, and every change of one', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    const seen = watcher.watchChildren('group/g', true);
    const shown = (): string =>
      (seen.last ?? []).map(({ name, register }) => `${name}=${textOf(register) ?? ''}`).join();
    await other.store('group/g/b', 'one', { expect: 'absent', ephemeral: true });
    await other.store('group/g/a', 'one', { expect: 'absent', ephemeral: true });
    await eventually(() => expect(shown().split(',').sort().join()).toBe('a=one,b=one'));
    const updated = await other.store('group/g/b', 'two');
    await eventually(() => expect(shown()).toContain('b=two'));
    const child = seen.last?.find(({ name }) => name === 'b');
    expect(child?.register).toEqual(updated);
    expect(child?.kind).toBeNull();
    await other.delete('group/g/b');
    await eventually(() => expect(shown()).toBe('a=one'));
    seen.stop();
  });

  scenario('WATCH-06', 'shows entries in line order with their kinds', async (fixture) => {
    const stores = await fixture.stores(3);
    const [watcher] = stores;
    if (watcher === undefined) throw new Error('three stores were asked for');
    const kinds = ['write', 'read', 'read', 'write', 'read', 'write'] as const;
    const seen = watcher.watchChildren('rw/a', true);
    const places = [];
    for (const [index, kind] of kinds.entries())
      places.push(await stores[index % 3]?.enter('rw/a', { kind, data: String(index) }));
    await eventually(() =>
      expect(seen.last?.map(({ register }) => textOf(register))).toEqual(['0', '1', '2', '3', '4', '5']),
    );
    expect(seen.last?.map(({ kind }) => kind)).toEqual(kinds);
    expect(seen.last?.map(({ name }) => name)).toEqual(places.map((place) => place?.entry.name));
    expect(seen.last?.map(({ register }) => register?.created)).toEqual(places.map((place) => place?.entry.created));
    expect(seen.last?.[0]?.register?.owner).toBe(watcher.id);
    seen.stop();
  });

  scenario('WATCH-07', 'shows without data only arrivals and departures', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    const first = await other.enter('lock/a');
    const seen = watcher.watchChildren('lock/a', false);
    await seen.settles((children) => children.length === 1);
    await other.update(first.entry, 'changed');
    const second = await other.enter('lock/a');
    await seen.settles((children) => children.length === 2);
    await other.leave(first.entry);
    await seen.settles((children) => children.length === 1);
    expect(seen.values.map((children) => children.map(({ name }) => name))).toEqual([
      [first.entry.name],
      [first.entry.name, second.entry.name],
      [second.entry.name],
    ]);
    expect(seen.values.flat().every(({ register, kind }) => register === null && kind === 'lock')).toBe(true);
    seen.stop();
  });

  scenario('WATCH-08', 'shows the whole of a burst, in fewer snapshots than changes', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    const members = Array.from({ length: 60 }, (_, index) => `m${String(index).padStart(2, '0')}`);
    const seen = watcher.watchChildren('group/g', true);
    await seen.first(() => true);
    await Promise.all(
      members.map((name) => other.store(`group/g/${name}`, name, { expect: 'absent', ephemeral: true })),
    );
    const all = await seen.settles((children) => children.length === members.length);
    expect(all.map(({ name }) => name).sort()).toEqual(members);
    expect(all.every(({ name, register }) => textOf(register) === name)).toBe(true);
    expect(seen.values.length).toBeLessThanOrEqual(members.length + 1);
    seen.stop();
  });

  scenario('WATCH-09', 'is told of each change once', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    await other.store('config/a', 'start');
    const seen = watcher.watch('config/a');
    await seen.first(() => true);
    const before = watcher.link.wire.notifications;
    for (const value of ['one', 'two', 'three']) {
      await other.store('config/a', value);
      await seen.settles((register) => textOf(register) === value);
    }
    expect(watcher.link.wire.notifications - before).toBe(3);
    expect(watcher.backend.traffic.notifications).toBe(watcher.link.wire.notifications);
    seen.stop();
  });

  scenario('WATCH-10', 'is silent after it was stopped', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    const stopped = watcher.watch('config/a');
    const going = watcher.watch('config/b');
    await stopped.first(() => true);
    await going.first(() => true);
    stopped.stop();
    await other.store('config/a', 'unseen');
    await other.store('config/b', 'seen');
    await going.settles((register) => textOf(register) === 'seen');
    expect(stopped.values).toEqual([null]);
    going.stop();
    // What was told or armed before it was stopped may still arrive.
    await eventually(async () => {
      const before = await quiet(watcher.link);
      await other.store('config/a', 'unseen');
      expect(difference(await quiet(watcher.link), before)).toMatchObject({ requests: 0, notifications: 0 });
    });
  });

  scenario('WATCH-11', 'completes when its backend closes', async (fixture) => {
    const store = await fixture.store();
    const watched = [
      store.watch('config/a'),
      store.watchChildren('group/g', true),
      store.watchChildren('group/g', false),
    ];
    await Promise.all(watched.map((seen) => eventually(() => expect(seen.values).toHaveLength(1))));
    store.session.close();
    await store.backend.close(fixture.requestMs);
    for (const seen of watched) expect(seen.completed).toBe(true);
  });

  scenario('WATCH-12', 'invents no change', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    const stored = await other.store('config/a', 'x');
    const seen = watcher.watch('config/a');
    const line = watcher.watchChildren('config', true);
    await seen.settles((register) => register?.version === stored.version);
    await line.settles((children) => children.length === 1);
    await other.put('config/a', 'refused', { expect: 'absent' });
    await other.delete('config/a', { expect: 0n });
    await other.store('config/a/below', 'x');
    await other.store('elsewhere/a', 'x');
    await throughout(fixture.timeoutMs / 4, () => {
      expect(seen.values).toEqual([stored]);
      expect(line.values).toHaveLength(1);
    });
    seen.stop();
    line.stop();
  });

  // ZooKeeper removes an empty container; curator#908 was silent for ever after that.
  scenario('WATCH-13', 'goes on when its directory is removed and made again', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    const first = await other.enter('lock/a');
    const seen = watcher.watchChildren('lock/a', true);
    await seen.settles((children) => children.length === 1);
    await other.leave(first.entry);
    await seen.settles((children) => children.length === 0);
    await fixture.world.operator.deleteEntry(fixture.namespace, 'lock', 'a');
    const second = await other.enter('lock/a');
    await seen.settles((children) => children[0]?.name === second.entry.name);
    expect(second.entry.created).toBeGreaterThan(first.entry.created);
    expect(seen.values.map(({ length }) => length)).toEqual([1, 0, 1]);
    seen.stop();
  });
});
