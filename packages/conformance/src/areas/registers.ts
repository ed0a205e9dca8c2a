import { expect } from 'vitest';
import { codeOf, eventually, outcome, within } from '../eventually.js';
import { twoStores } from '../lines.js';
import { area } from '../scenario.js';
import { textOf } from '../store-client.js';

/** Single values with versions: docs/spec/registers.md. */
export const registers = area('registers', (scenario) => {
  scenario('REG-01', 'answers null for an absent register, and what was stored for a present one', async (fixture) => {
    const store = await fixture.store();
    expect(await store.get('config/a')).toBeNull();
    const stored = await store.store('config/a', 'one', { expect: 'absent' });
    expect(textOf(stored)).toBe('one');
    expect(stored.owner).toBeNull();
    expect(await store.get('config/a')).toEqual(stored);
  });

  scenario('REG-02', 'refuses a put that expects absence where there is a value, and shows it', async (fixture) => {
    const store = await fixture.store();
    const stored = await store.store('config/a', 'one', { expect: 'absent' });
    expect(await store.put('config/a', 'two', { expect: 'absent' })).toEqual({ stored: false, current: stored });
    expect(await store.get('config/a')).toEqual(stored);
  });

  scenario('REG-03', 'stores over exactly the expected version, and refuses over any other', async (fixture) => {
    const store = await fixture.store();
    const first = await store.store('config/a', 'one', { expect: 'absent' });
    const second = await store.store('config/a', 'two', { expect: first.version });
    expect(second.version).toBeGreaterThan(first.version);
    expect(second.created).toBe(first.created);
    const refused = await store.put('config/a', 'three', { expect: first.version });
    expect(refused).toEqual({ stored: false, current: second });
    expect(await store.put('config/none', 'three', { expect: first.version })).toEqual({
      stored: false,
      current: null,
    });
    expect(await store.get('config/none')).toBeNull();
  });

  scenario('REG-04', 'stores over anything when anything is expected', async (fixture) => {
    const store = await fixture.store();
    const first = await store.store('config/a', 'one');
    const second = await store.store('config/a', 'two');
    expect(second.version).toBeGreaterThan(first.version);
    expect(await store.get('config/a')).toEqual(second);
  });

  // A falsy zero once read as "no expectation" (Patroni's CAS on index 0); peers.md (b) 20.
  scenario('REG-05', 'takes version 0 for a version, never for absence or anything', async (fixture) => {
    const store = await fixture.store();
    expect(await store.put('config/a', 'zero', { expect: 0n })).toEqual({ stored: false, current: null });
    const stored = await store.store('config/a', 'one', { expect: 'absent' });
    expect(stored.version).not.toBe(0n);
    expect(await store.put('config/a', 'zero', { expect: 0n })).toEqual({ stored: false, current: stored });
    expect(await store.delete('config/a', { expect: 0n })).toEqual({ deleted: false, current: stored });
  });

  // On ZooKeeper the compared counter restarts when a node is made again: a lost update was seen that way.
  scenario('REG-06', 'refuses a version from before a deletion and re-creation', async (fixture) => {
    const [mine, other] = await twoStores(fixture);
    const old = await mine.store('config/a', 'one', { expect: 'absent' });
    expect(await other.delete('config/a')).toEqual({ deleted: true });
    const current = await other.store('config/a', 'one', { expect: 'absent' });
    expect(current.version).toBeGreaterThan(old.version);
    expect(await mine.put('config/a', 'lost update', { expect: old.version })).toEqual({ stored: false, current });
    expect(await mine.delete('config/a', { expect: old.version })).toEqual({ deleted: false, current });
  });

  scenario('REG-07', 'deletes what is there, on condition when one is given', async (fixture) => {
    const store = await fixture.store();
    expect(await store.delete('config/a')).toEqual({ deleted: false, current: null });
    const first = await store.store('config/a', 'one');
    const second = await store.store('config/a', 'two');
    expect(await store.delete('config/a', { expect: first.version })).toEqual({ deleted: false, current: second });
    expect(await store.delete('config/a', { expect: second.version })).toEqual({ deleted: true });
    expect(await store.get('config/a')).toBeNull();
    expect(await store.delete('config/a', { expect: second.version })).toEqual({ deleted: false, current: null });
  });

  scenario('REG-08', 'lets an ephemeral register live and die with its session', async (fixture) => {
    const [owner, other] = await twoStores(fixture);
    const stored = await owner.store('group/g/a', 'here', { expect: 'absent', ephemeral: true });
    expect(stored.owner).toBe(owner.id);
    expect((await other.get('group/g/a'))?.owner).toBe(owner.id);
    owner.session.close();
    await owner.backend.close(fixture.requestMs);
    await eventually(async () => expect(await other.get('group/g/a')).toBeNull());
  });

  // A plain put on etcd detaches the lease; dubbo#7124 lost members that way.
  scenario('REG-09', 'keeps the owner when another session overwrites', async (fixture) => {
    const [owner, other] = await twoStores(fixture);
    const first = await owner.store('group/g/a', 'one', { expect: 'absent', ephemeral: true });
    const second = await other.store('group/g/a', 'two', { expect: 'any' });
    expect(second.owner).toBe(owner.id);
    expect(second.created).toBe(first.created);
    const third = await other.store('group/g/a', 'three', { expect: second.version });
    expect(third.owner).toBe(owner.id);
    await fixture.world.operator.expireSession(owner.id);
    await eventually(async () => expect(await other.get('group/g/a')).toBeNull());
  });

  scenario('REG-10', 'deletes by owner only what that session owns', async (fixture) => {
    const [owner, other] = await twoStores(fixture);
    const stored = await owner.store('group/g/a', 'one', { expect: 'absent', ephemeral: true });
    expect(await other.delete('group/g/a', { owner: other.id })).toEqual({ deleted: false, current: stored });
    expect(await owner.delete('group/g/a', { owner: owner.id })).toEqual({ deleted: true });
    expect(await owner.get('group/g/a')).toBeNull();
  });

  scenario('REG-11', 'keeps a value at a and another at a/b, each by itself', async (fixture) => {
    const store = await fixture.store();
    await store.store('config/a/b', 'below', { expect: 'absent' });
    expect(await store.get('config/a')).toBeNull();
    expect(await store.children('config')).toEqual([]);
    const above = await store.store('config/a', 'above', { expect: 'absent' });
    expect(await store.get('config/a')).toEqual(above);
    expect(await store.delete('config/a')).toEqual({ deleted: true });
    expect(textOf(await store.get('config/a/b'))).toBe('below');
    await store.store('config/a', 'again', { expect: 'absent' });
    expect(await store.delete('config/a/b')).toEqual({ deleted: true });
    expect(textOf(await store.get('config/a'))).toBe('again');
  });

  scenario(
    'REG-12',
    'lists the direct children that hold a value, sorted; an absent directory is empty',
    async (fixture) => {
      const store = await fixture.store();
      expect(await store.children('config')).toEqual([]);
      for (const key of ['config/b', 'config/a', 'config/c/deep', 'config/B', 'configured'])
        await store.store(key, 'x');
      expect(await store.children('config')).toEqual(['B', 'a', 'b']);
      await store.delete('config/a');
      expect(await store.children('config')).toEqual(['B', 'b']);
      expect(await store.children('config/c')).toEqual(['deep']);
    },
  );

  scenario('REG-13', 'gives back every byte, of values of 1 to 1,000,000 bytes', async (fixture) => {
    const store = await fixture.store();
    const all = Uint8Array.from({ length: 256 }, (_, index) => index);
    const large = new Uint8Array(1_000_000).fill(7);
    expect(fixture.harness.driver.capabilities.maxValueBytes).toBeGreaterThanOrEqual(large.length);
    for (const value of [new Uint8Array(1), all, large]) {
      await store.store('config/bytes', value);
      const got = await store.get('config/bytes');
      expect(Buffer.compare(got?.value ?? new Uint8Array(), value)).toBe(0);
    }
  });

  scenario('REG-14', 'shows a finished write to everybody who reads linearizably after it', async (fixture) => {
    const [writer, reader] = await twoStores(fixture);
    for (let round = 0; round < 50; round++) {
      const { version } = await writer.store('config/a', String(round));
      expect((await reader.get('config/a'))?.version).toBe(version);
    }
    const removed = await writer.delete('config/a');
    expect(removed.deleted).toBe(true);
    expect(await reader.get('config/a')).toBeNull();
  });

  scenario('REG-15', 'shows a session its own writes when it reads by session', async (fixture) => {
    const store = await fixture.store();
    for (let round = 0; round < 20; round++) {
      const { version } = await store.store('config/a', String(round));
      expect((await store.get('config/a', 'session'))?.version).toBe(version);
    }
  });

  scenario('REG-16', 'loses no update among sessions that compare and set', async (fixture) => {
    const stores = await fixture.stores(3);
    const increments = 15;
    await stores[0]?.store('config/count', '0', { expect: 'absent' });
    await Promise.all(
      stores.map(async (store) => {
        for (let done = 0; done < increments; ) {
          const current = await store.get('config/count');
          const next = String(Number(textOf(current)) + 1);
          if ((await store.put('config/count', next, { expect: current?.version ?? 'absent' })).stored) done++;
        }
      }),
    );
    expect(textOf((await stores[0]?.get('config/count')) ?? null)).toBe(String(3 * increments));
  });

  scenario('REG-17', 'lets one of several creators win', async (fixture) => {
    const stores = await fixture.stores(3);
    const results = await Promise.all(stores.map((store) => store.put('config/a/b/c', store.id, { expect: 'absent' })));
    const winners = results.flatMap((result) => (result.stored ? [result.register] : []));
    expect(winners).toHaveLength(1);
    for (const result of results) if (!result.stored) expect(result.current).toEqual(winners[0]);
  });

  scenario('REG-18', 'rejects a read that failed, and never takes it for absence', async (fixture) => {
    const [cut, silent] = await twoStores(fixture);
    await cut.store('config/a', 'there');
    cut.link.cut();
    silent.link.blackhole();
    const answers = [cut, silent].map((store) => outcome(store.backend.get('config/a', 'linearizable', store.call())));
    const fromCut = await answers[0];
    expect(fromCut?.reason).toMatchObject({ code: 'UNAVAILABLE' });
    // Core answers the caller at the limit, so a driver may leave a silent read open; it may not make one up.
    const limit = within(fixture.requestMs + 500, 'an answer', answers[1] ?? Promise.reject(new Error('no answer')));
    const fromSilent = await outcome(limit);
    expect(fromSilent.value?.rejected ?? true).toBe(true);
  });

  // Automatic retries applied writes twice in Go's and Java's etcd clients (etcd#14890, jetcd#1444).
  scenario('REG-19', 'sends a write once, whatever becomes of its reply', async (fixture) => {
    const [writer, watcher] = await twoStores(fixture);
    const before = await writer.store('config/a', 'before');
    const seen = watcher.watch('config/a');
    await seen.settles((register) => textOf(register) === 'before');
    writer.link.swallowReplies();
    const call = writer.call();
    const put = outcome(writer.backend.put('config/a', new Uint8Array([50]), { expect: 'any' }, call));
    await seen.settles((register) => textOf(register) === '2');
    expect(call.sent).toBe(true);
    writer.link.heal();
    const ended = await within(4 * fixture.timeoutMs, 'the end of the write', put);
    if (ended.rejected) expect(['UNAVAILABLE', 'OUTCOME_UNKNOWN', 'SESSION_LOST']).toContain(codeOf(ended.reason));
    await writer.session.connected();
    await writer.confirm();
    const versions = seen.values.map((register) => register?.version ?? 0n);
    expect(versions).toHaveLength(2);
    expect(versions[0]).toBe(before.version);
    expect((await watcher.get('config/a'))?.version).toBe(versions[1]);
    seen.stop();
  });

  scenario('REG-20', 'purges what was deleted, and never a value', async (fixture) => {
    const store = await fixture.store();
    const kept = await store.store('config/kept', 'x');
    await store.purge('config/kept');
    expect(await store.get('config/kept')).toEqual(kept);
    await store.store('config/gone', 'x');
    await store.delete('config/gone');
    await store.purge('config/gone');
    await store.purge('config/gone');
    expect(await store.get('config/gone')).toBeNull();
    expect(await fixture.keys()).not.toContain('config/gone');
  });

  // A subclass prints, slices and compares differently, so a change of backend would change programs.
  scenario('REG-21', 'answers plain byte arrays', async (fixture) => {
    const store = await fixture.store();
    const stored = await store.store('config/a', Buffer.from('x'));
    const { entry } = await store.enter('lock/a', { data: Buffer.from('x') });
    const watched = store.watch('config/a');
    const children = store.watchChildren('lock/a', true);
    const shown = [
      stored.value,
      (await store.get('config/a'))?.value,
      (await watched.first((register) => register !== null))?.value,
      (await store.first(entry.dir))?.register?.value,
      (await children.first(({ length }) => length === 1))[0]?.register?.value,
    ];
    for (const value of shown.slice(1)) expect(Object.getPrototypeOf(value)).toBe(Uint8Array.prototype);
    watched.stop();
    children.stop();
  });
});
