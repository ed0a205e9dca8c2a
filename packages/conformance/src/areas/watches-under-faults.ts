import { expect } from 'vitest';
import { eventually, throughout } from '../eventually.js';
import { twoStores } from '../lines.js';
import { area } from '../scenario.js';
import type { StoreClient } from '../store-client.js';
import { textOf } from '../store-client.js';

/** What a watch shows over an outage, a new session, a new store: docs/spec/watches.md. */
export const watchesUnderFaults = area('watches under faults', (scenario) => {
  scenario(
    'WATCH-20',
    'is silent during an outage, and shows afterwards what was missed, without another write',
    async (fixture) => {
      const [watcher, other] = await fixture.stores(2);
      if (watcher === undefined || other === undefined) throw new Error('two stores were asked for');
      await other.store('config/a', 'before');
      await other.store('group/g/stays', 'one');
      await other.store('group/g/leaves', 'x');
      const seen = watcher.watch('config/a');
      const members = watcher.watchChildren('group/g', true);
      await seen.settles((register) => textOf(register) === 'before');
      await members.settles((children) => children.length === 2);
      watcher.link.cut();
      await other.store('config/a', 'after');
      await other.store('group/g/stays', 'two');
      await other.delete('group/g/leaves');
      await other.store('group/g/came', 'x');
      await throughout(fixture.timeoutMs / 8, () => {
        expect([seen.values.length, members.values.length]).toEqual([1, 1]);
        expect([seen.ended, members.ended]).toEqual([false, false]);
      });
      watcher.link.heal();
      await seen.settles((register) => textOf(register) === 'after');
      const settled = await members.settles(
        (children) => children.length === 2 && children.every(({ name }) => name !== 'leaves'),
      );
      await eventually(() =>
        expect(
          (members.last ?? settled).map(({ name, register }) => `${name}=${textOf(register) ?? ''}`).sort(),
        ).toEqual(['came=x', 'stays=two']),
      );
      expect(seen.values).toHaveLength(2);
    },
  );

  scenario('WATCH-21', 'says nothing new when nothing changed over an outage', async (fixture) => {
    const store = await fixture.store();
    await store.store('config/a', 'same');
    await store.store('group/g/a', 'same');
    const seen = store.watch('config/a');
    const absent = store.watch('config/none');
    const members = store.watchChildren('group/g', true);
    const everybody = [seen, absent, members];
    await Promise.all(everybody.map((recorder) => eventually(() => expect(recorder.values).toHaveLength(1))));
    for (let flap = 0; flap < 3; flap++) {
      store.link.flap();
      await eventually(() => store.confirm());
    }
    await throughout(fixture.timeoutMs / 4, () => {
      for (const recorder of everybody) expect(recorder.values).toHaveLength(1);
    });
  });

  // curator#911 compared version counters and took the new one for the old one.
  scenario('WATCH-22', 'sees what was deleted and made again while it was away', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    const first = await other.store('config/a', 'same', { expect: 'absent' });
    const member = await other.store('group/g/a', 'same', { expect: 'absent', ephemeral: true });
    const seen = watcher.watch('config/a');
    const members = watcher.watchChildren('group/g', true);
    await seen.settles((register) => register?.version === first.version);
    await members.settles((children) => children[0]?.register?.created === member.created);
    watcher.link.cut();
    await other.delete('config/a');
    const second = await other.store('config/a', 'same', { expect: 'absent' });
    await other.delete('group/g/a');
    const again = await other.store('group/g/a', 'same', { expect: 'absent', ephemeral: true });
    watcher.link.heal();
    await seen.settles((register) => register?.version === second.version);
    await members.settles((children) => children[0]?.register?.created === again.created);
    expect(again.created).toBeGreaterThan(member.created);
  });

  // ClickHouse#2947, curator#918 and many more: a watch that died with its session.
  scenario('WATCH-23', 'goes on in a new session', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    const before = await other.store('config/a', 'before');
    const seen = watcher.watch('config/a');
    const members = watcher.watchChildren('group/g', true);
    await seen.settles((register) => register?.version === before.version);
    await fixture.world.operator.expireSession(watcher.id);
    await eventually(() => expect(watcher.session.state).toMatchObject({ state: 'connected', epoch: 2 }));
    await other.store('config/a', 'after');
    await other.store('group/g/a', 'x', { expect: 'absent', ephemeral: true });
    await seen.settles((register) => textOf(register) === 'after');
    await members.settles((children) => children.length === 1);
    expect(seen.values).toHaveLength(2);
  });

  scenario('WATCH-24', 'goes on after a silent partition that cost the session', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    await other.store('config/a', 'before');
    const seen = watcher.watch('config/a');
    await seen.settles((register) => textOf(register) === 'before');
    watcher.link.blackhole();
    await eventually(() => expect(watcher.session.state.epoch).toBe(2));
    await other.store('config/a', 'after');
    expect(seen.values).toHaveLength(1);
    expect(seen.ended).toBe(false);
    watcher.link.heal();
    await seen.settles((register) => textOf(register) === 'after');
  });

  // pulsar#25999: nobody was shown while the office changed hands.
  scenario('WATCH-26', 'shows no empty directory where one came before the last one left', async (fixture) => {
    const [watcher, other] = await twoStores(fixture);
    const [first, second] = await twoStores(fixture);
    let { entry } = await other.enter('lock/a');
    const seen = watcher.watchChildren('lock/a', true);
    await seen.settles((children) => children.length === 1);
    // One step behind the other on the store, in whatever state the watch is then.
    for (let turn = 0; turn < 20; turn++) {
      const [from, to] = turn % 2 === 0 ? [other, first] : [first, other];
      const next = (await to.enter('lock/a')).entry;
      await from.leave(entry);
      entry = next;
    }
    await seen.settles(([child]) => child?.name === entry.name);
    watcher.link.cut();
    const { entry: last } = await second.enter('lock/a');
    await other.leave(entry);
    watcher.link.heal();
    await seen.settles(([child]) => child?.name === last.name);
    expect(seen.values.filter((children) => children.length === 0)).toEqual([]);
  });

  scenario.alone('WATCH-25', 'goes on after the store was restarted, and after it lost everything', async (fixture) => {
    const { server } = fixture;
    const store = await fixture.store();
    await store.store('config/a', 'before');
    await store.store('config/gone', 'x');
    const seen = store.watch('config/a');
    const gone = store.watch('config/gone');
    const members = store.watchChildren('group/g', true);
    await seen.settles((register) => textOf(register) === 'before');
    await gone.settles((register) => register !== null);
    await server.kill();
    await server.start();
    const other = await fixture.store();
    await rewrite(other, 'after the restart');
    await seen.settles((register) => textOf(register) === 'after the restart');
    await server.wipe();
    const third = await fixture.store();
    await seen.settles((register) => register === null);
    await gone.settles((register) => register === null);
    // Versions start anew in an empty store: what is shown is the state, not the larger number.
    await rewrite(third, 'after the wipe');
    await seen.settles((register) => textOf(register) === 'after the wipe');
    await third.store('group/g/a', 'x', { expect: 'absent', ephemeral: true });
    await members.settles((children) => children.length === 1);
    expect([seen.ended, gone.ended, members.ended]).toEqual([false, false, false]);
  });
});

async function rewrite(store: StoreClient, value: string): Promise<void> {
  await eventually(async () => {
    await store.store('config/a', value);
  });
}
