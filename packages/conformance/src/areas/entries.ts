import type { Entry } from '@concordat/core/spi';
import { expect } from 'vitest';
import { eventually } from '../eventually.js';
import { enterMany, lineUp, required, twoStores } from '../lines.js';
import { area } from '../scenario.js';
import { textOf, toBytes } from '../store-client.js';

/** Lines of ordered entries while nothing is broken: docs/spec/entries.md. */
export const entries = area('entries', (scenario) => {
  scenario('ENTRY-01', 'puts me first in an empty line', async (fixture) => {
    const store = await fixture.store();
    const { entry, ahead } = await store.enter('lock/a', { data: 'hello' });
    expect(ahead).toEqual([]);
    expect(entry).toMatchObject({ dir: 'lock/a', kind: 'lock', epoch: store.session.epoch });
    expect(entry.created).toBeGreaterThan(0n);
    expect(await fixture.entries('lock/a')).toEqual([entry.name]);
    const first = await store.first('lock/a');
    expect(first).toMatchObject({
      name: entry.name,
      kind: 'lock',
      register: { owner: store.id, created: entry.created },
    });
    expect(textOf(first?.register)).toBe('hello');
  });

  scenario('ENTRY-02', 'orders the entries of all sessions totally, by creation', async (fixture) => {
    const stores = await fixture.stores(3);
    const entered = await lineUp(stores, 9);
    for (const [index, { entry }] of entered.entries())
      if (index > 0) expect(entry.created).toBeGreaterThan(entered[index - 1]?.entry.created ?? 0n);
    expect(await fixture.entries('lock/a')).toEqual(entered.map(({ entry }) => entry.name));
  });

  scenario('ENTRY-03', 'answers the nearest entries ahead, oldest first, as many as asked for', async (fixture) => {
    const stores = await fixture.stores(2);
    const names = (await lineUp(stores, 5)).map(({ entry }) => entry.name);
    const place = await stores[0]?.enter('lock/a', { rule: { limit: 2 } });
    expect(place?.ahead.map(({ name }) => name)).toEqual(names.slice(-2));
    const { entry } = required(place);
    for (const limit of [1, 3, 5, 10])
      expect((await stores[0]?.ahead(entry, { limit }))?.map(({ name }) => name)).toEqual(names.slice(-limit));
  });

  scenario('ENTRY-04', 'counts only entries of the kind asked for', async (fixture) => {
    const [store, other] = await twoStores(fixture);
    const read = await other.enter('rw/a', { kind: 'read' });
    const write = await store.enter('rw/a', { kind: 'write', rule: { limit: 5 } });
    const reader = await other.enter('rw/a', { kind: 'read', rule: { of: 'write', limit: 5 } });
    const early = await store.enter('rw/b', { kind: 'read' });
    const free = await store.enter('rw/b', { kind: 'read', rule: { of: 'write', limit: 1 } });
    expect(write.ahead.map(({ name }) => name)).toEqual([read.entry.name]);
    expect(reader.ahead.map(({ name }) => name)).toEqual([write.entry.name]);
    expect(free.ahead).toEqual([]);
    expect(await store.ahead(free.entry, { limit: 5 })).toMatchObject([{ name: early.entry.name }]);
    expect((await other.ahead(reader.entry, { limit: 5 }))?.map(({ name }) => name)).toEqual([
      read.entry.name,
      write.entry.name,
    ]);
  });

  // The look and the creation are one step: with two, a contender between them is missed, or two are first.
  scenario('ENTRY-05', 'gives concurrent contenders one line: each sees exactly the one before it', async (fixture) => {
    const stores = await fixture.stores(3);
    const places = (await Promise.all(stores.map((store) => enterMany(store, 12)))).flat();
    const line = [...places].sort((a, b) => (a.entry.created < b.entry.created ? -1 : 1));
    expect(new Set(line.map(({ entry }) => entry.created)).size).toBe(36);
    for (const [index, { ahead }] of line.entries())
      expect(ahead.map(({ name }) => name)).toEqual(
        line.slice(Math.max(0, index - 1), index).map(({ entry }) => entry.name),
      );
    expect(await fixture.entries('lock/a')).toEqual(line.map(({ entry }) => entry.name));
  });

  // etcd3#176: taking over when the direct predecessor left, without looking for older ones.
  scenario('ENTRY-06', 'answers who is ahead now, when others have left', async (fixture) => {
    const [store, other] = await twoStores(fixture);
    const [first, second] = await lineUp([other], 2);
    const mine = await store.enter('lock/a');
    expect(mine.ahead.map(({ name }) => name)).toEqual([second?.entry.name]);
    await other.leave(required(second).entry);
    expect((await store.ahead(mine.entry))?.map(({ name }) => name)).toEqual([first?.entry.name]);
    await other.leave(required(first).entry);
    expect(await store.ahead(mine.entry)).toEqual([]);
  });

  // etcd#11456 and #19597, curator#827: granted, or crashed, with the own entry gone.
  scenario('ENTRY-07', 'answers null, not an empty line, when my own entry is gone', async (fixture) => {
    const [store, other] = await twoStores(fixture);
    const first = await other.enter('lock/a');
    const mine = await store.enter('lock/a');
    await fixture.world.operator.deleteEntry(fixture.namespace, 'lock/a', mine.entry.name);
    expect(await store.ahead(mine.entry)).toBeNull();
    await other.leave(first.entry);
    expect(await store.ahead(mine.entry)).toBeNull();
    const again = await store.enter('lock/a');
    expect(await store.ahead(mine.entry)).toBeNull();
    expect(await store.ahead(again.entry)).toEqual([]);
  });

  scenario('ENTRY-13', 'replaces my data, and keeps my place, my creation and my session', async (fixture) => {
    const [store, other] = await twoStores(fixture);
    const mine = await store.enter('election/a', { kind: 'latch', data: 'one' });
    const behind = await other.enter('election/a', { kind: 'latch' });
    await store.update(mine.entry, 'two');
    const first = await other.first('election/a');
    expect(first).toMatchObject({ name: mine.entry.name, kind: 'latch' });
    expect(first?.register).toMatchObject({ created: mine.entry.created, owner: store.id });
    expect(textOf(first?.register)).toBe('two');
    expect((await other.ahead(behind.entry))?.map(({ name }) => name)).toEqual([mine.entry.name]);
  });

  scenario('ENTRY-14', 'refuses to update what is gone, and makes nothing', async (fixture) => {
    const [store] = await twoStores(fixture);
    const mine = await store.enter('lock/a');
    await fixture.world.operator.deleteEntry(fixture.namespace, 'lock/a', mine.entry.name);
    await expect(store.update(mine.entry, 'two')).rejects.toMatchObject({ code: 'GRANT_LOST' });
    expect(await fixture.entries('lock/a')).toEqual([]);
  });

  // zk-ruby/zk#34, pulsar 948d962: a late clean-up removed the entry of the next one.
  scenario('ENTRY-15', 'removes my entry, nobody else’s, however often it is asked', async (fixture) => {
    const [store, other] = await twoStores(fixture);
    const mine = await store.enter('lock/a');
    const theirs = await other.enter('lock/a');
    await store.leave(mine.entry);
    expect(await fixture.entries('lock/a')).toEqual([theirs.entry.name]);
    await store.leave(mine.entry);
    const again = await store.enter('lock/a');
    await store.leave(mine.entry);
    expect(await fixture.entries('lock/a')).toEqual([theirs.entry.name, again.entry.name]);
  });

  scenario('ENTRY-16', 'takes no entry for an earlier one, and orders also over an empty line', async (fixture) => {
    const [store] = await twoStores(fixture);
    const seen: Entry[] = [];
    for (let round = 0; round < 25; round++) {
      const { entry } = await store.enter('lock/a');
      seen.push(entry);
      await store.leave(entry);
    }
    const standing = await store.enter('lock/a');
    await Promise.all(seen.map((entry) => store.leave(entry)));
    expect(await fixture.entries('lock/a')).toEqual([standing.entry.name]);
    expect(standing.ahead).toEqual([]);
    for (const [index, { created }] of seen.entries())
      if (index > 0) expect(created).toBeGreaterThan(seen[index - 1]?.created ?? 0n);
  });

  scenario('ENTRY-17', 'shows the oldest entry of a line, or null', async (fixture) => {
    const [store, other] = await twoStores(fixture);
    expect(await other.first('lock/a')).toBeNull();
    const [first, second] = await lineUp([store], 2);
    expect((await other.first('lock/a'))?.name).toBe(first?.entry.name);
    await store.leave(required(first).entry);
    expect((await other.first('lock/a'))?.name).toBe(second?.entry.name);
    await store.leave(required(second).entry);
    expect(await other.first('lock/a')).toBeNull();
  });

  // Scans of Go's and Curator's recipes are not path-aware.
  scenario('ENTRY-18', 'keeps lines apart whose names begin alike', async (fixture) => {
    const [store] = await twoStores(fixture);
    for (const dir of ['lock/a', 'lock/ab', 'lock/a%2Fb', 'lock/A', 'rw/a']) {
      const { ahead } = await store.enter(dir);
      expect(ahead).toEqual([]);
      expect(await fixture.entries(dir)).toHaveLength(1);
      expect(await store.first(dir)).not.toBeNull();
    }
  });

  scenario('ENTRY-19', 'takes data of 0 to 1,000,000 bytes', async (fixture) => {
    const [store] = await twoStores(fixture);
    for (const data of [new Uint8Array(), Uint8Array.of(0), new Uint8Array(1_000_000).fill(9)]) {
      const { entry } = await store.enter('lock/a', { data });
      const first = await store.first('lock/a');
      expect(Buffer.compare(first?.register?.value ?? toBytes('none'), data)).toBe(0);
      await store.leave(entry);
    }
  });

  scenario('ENTRY-20', 'leaves nothing of a session that is over', async (fixture) => {
    const [store, closing, other] = await fixture.stores(3);
    if (store === undefined || closing === undefined || other === undefined)
      throw new Error('three stores were asked for');
    await store.enter('lock/a');
    await closing.enter('lock/a');
    const mine = await other.enter('lock/a');
    const gone = other.gone(required(mine.ahead[0]));
    closing.session.close();
    await closing.backend.close(fixture.requestMs);
    await gone.end();
    expect(await fixture.entries('lock/a')).toHaveLength(2);
    await fixture.world.operator.expireSession(store.id);
    await eventually(async () => expect(await fixture.entries('lock/a')).toEqual([mine.entry.name]));
    expect(await other.ahead(mine.entry)).toEqual([]);
  });

  scenario('ENTRY-21', 'does not enter for a session that is over', async (fixture) => {
    const store = await fixture.store();
    await fixture.world.operator.expireSession(store.id);
    await eventually(() => expect(store.session.state).toMatchObject({ state: 'connected', epoch: 2 }));
    await expect(store.enter('lock/a', { epoch: 1 })).rejects.toMatchObject({ code: 'SESSION_LOST' });
    expect(await fixture.entries('lock/a')).toEqual([]);
  });

  scenario('ENTRY-22', 'shows what kind of entry each is', async (fixture) => {
    const [store] = await twoStores(fixture);
    for (const [dir, kind] of kindByDirectory) {
      const { entry } = await store.enter(dir, { kind });
      expect(entry.kind).toBe(kind);
      expect((await store.first(dir))?.kind).toBe(kind);
    }
  });
});

const kindByDirectory = [
  ['lock/a', 'lock'],
  ['election/a', 'latch'],
  ['sem/a', 'lease:2'],
  ['group/a', 'member:me'],
  ['rw/a', 'read'],
  ['rw/b', 'write'],
] as const;
