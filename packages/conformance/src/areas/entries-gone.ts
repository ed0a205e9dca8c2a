import { expect } from 'vitest';
import { eventually, throughout } from '../eventually.js';
import { lineUp, required, twoStores } from '../lines.js';
import { area } from '../scenario.js';
import { difference, quiet } from '../wire-tally.js';

/** Watching single entries of a line: docs/spec/entries.md. */
export const entriesGone = area('entries gone', (scenario) => {
  scenario('ENTRY-08', 'tells once that the very entry is gone, and not of another', async (fixture) => {
    const [store, other] = await twoStores(fixture);
    const [first, second] = await lineUp([other], 2);
    const mine = await store.enter('lock/a');
    const gone = store.gone(required(mine.ahead[0]));
    const later = await other.enter('lock/a');
    await other.leave(later.entry);
    await other.leave(required(first).entry);
    await other.update(required(second).entry, 'touched');
    await throughout(fixture.timeoutMs / 8, () => expect(gone.values).toEqual([]));
    await other.leave(required(second).entry);
    await gone.end();
    expect(gone.values).toEqual(['gone']);
    expect(gone.completed).toBe(true);
  });

  scenario('ENTRY-09', 'tells at once of an entry that was gone before', async (fixture) => {
    const [store, other] = await twoStores(fixture);
    await other.enter('lock/a');
    const second = await other.enter('lock/a');
    const mine = await store.enter('lock/a');
    await other.leave(second.entry);
    const gone = store.gone(required(mine.ahead[0]));
    await gone.end();
    expect(gone.values).toEqual(['gone']);
  });

  scenario('ENTRY-10', 'tells of a touch when asked to, also of one before it was asked', async (fixture) => {
    const [store, other] = await twoStores(fixture);
    const held = await other.enter('sem/a', { kind: 'lease:1' });
    const mine = await store.enter('sem/a', { kind: 'lease:1' });
    const ref = required(mine.ahead[0]);
    const touched = store.gone(ref, true);
    await throughout(50, () => expect(touched.values).toEqual([]));
    await other.update(held.entry, 'touched');
    await touched.end();
    expect(touched.values).toEqual(['touched']);
    const late = store.gone(ref, true);
    await late.end();
    expect(late.values).toEqual(['touched']);
    const gone = store.gone(ref, true);
    await other.leave(held.entry);
    await gone.end();
    expect(gone.values).toHaveLength(1);
  });

  scenario('ENTRY-11', 'tells that my own entry is gone', async (fixture) => {
    const [store] = await twoStores(fixture);
    const mine = await store.enter('lock/a');
    const gone = store.gone(mine.entry);
    await fixture.world.operator.deleteEntry(fixture.namespace, 'lock/a', mine.entry.name);
    await gone.end();
    expect(gone.values).toEqual(['gone']);
  });

  scenario('ENTRY-12', 'stops telling when nobody listens any more', async (fixture) => {
    const [store, other] = await twoStores(fixture);
    const first = await other.enter('lock/a');
    const mine = await store.enter('lock/a');
    const stopped = store.gone(required(mine.ahead[0]));
    const going = store.gone(required(mine.ahead[0]));
    stopped.stop();
    await other.leave(first.entry);
    await going.end();
    expect(stopped.values).toEqual([]);
    const { entry } = await other.enter('lock/b');
    const behind = await store.enter('lock/b');
    const watched = store.gone(required(behind.ahead[0]));
    await quiet(store.link);
    watched.stop();
    // What was told or armed before it was stopped may still arrive.
    await eventually(async () => {
      const before = await quiet(store.link);
      for (const data of ['one', 'two']) await other.update(entry, data);
      expect(difference(await quiet(store.link), before)).toMatchObject({ requests: 0, notifications: 0 });
    });
  });
});
