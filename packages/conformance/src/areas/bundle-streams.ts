import { expect } from 'vitest';
import { eventually, throughout } from '../eventually.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import type { Define } from '../scenario.js';
import { toBytes } from '../store-client.js';
import { difference, quiet } from '../wire-tally.js';

/** What observers of a bundle are shown, and what it costs: docs/spec/bundle.md. */
export function bundleStreams(scenario: Define): void {
  scenario('BUND-10', 'shows one setting and its changes only, those of an outage as well', async (fixture) => {
    const [watcher, other] = (await fixture.clients(2)) as [Client, Client];
    const bundle = other.coordinator.bundle('b');
    const seen = new Recorder(watcher.coordinator.bundle('b').setting$('a'));
    const beside = new Recorder(watcher.coordinator.bundle('b').setting$('b'));
    await seen.first((value) => value === undefined);
    await bundle.publish({ a: '1', b: '0' });
    await beside.settles((value) => value === '0');
    await bundle.publish({ a: '1', b: '1' });
    await beside.settles((value) => value === '1');
    await bundle.publish({ b: '2' });
    await beside.settles((value) => value === '2');
    await bundle.publish({ a: '', b: '3' });
    await beside.settles((value) => value === '3');
    watcher.link.cut();
    await watcher.states.settles(({ state }) => state !== 'connected');
    await bundle.publish({ a: '2', b: '4' });
    await throughout(100, () => expect(beside.last).toBe('3'));
    watcher.link.heal();
    await beside.settles((value) => value === '4');
    expect(seen.values).toEqual([undefined, '1', undefined, '', '2']);
    expect(beside.values).toEqual([undefined, '0', '1', '2', '3', '4']);
    for (const recorder of [seen, beside]) recorder.stop();
  });

  scenario('BUND-11', 'tells of foreign bytes beside the last complete set', async (fixture) => {
    const { coordinator } = await fixture.client();
    const bundle = coordinator.bundle('b');
    let version = await bundle.publish({ a: '1' });
    const seen = new Recorder(bundle.value$);
    const setting = new Recorder(bundle.setting$('a'));
    await setting.first(() => true);
    for (const foreign of ['{"a":', '[]', '"text"', 'null', '{"a":2}', '{"a":{"b":"c"}}', '{"":"x"}']) {
      await seen.settles((state) => state.version === version && state.error === null);
      await fixture.world.operator.write(fixture.namespace, 'bundle/b', toBytes(foreign));
      const kept = await seen.settles(({ error }) => error !== null);
      expect(kept).toMatchObject({ version, error: { code: 'BACKEND' } });
      expect(kept.settings).toEqual(new Map([['a', '1']]));
      await expect(bundle.get()).rejects.toMatchObject({ code: 'BACKEND' });
      const late = new Recorder(bundle.setting$('a'));
      await throughout(30, () => expect(late.values).toEqual([]));
      late.stop();
      version = await bundle.publish({ a: '1' });
    }
    await seen.settles((state) => state.version === version && state.error === null);
    expect([setting.values, setting.ended, seen.ended]).toEqual([['1'], false, false]);
    for (const recorder of [seen, setting]) recorder.stop();
  });

  // The paper's 5,000 settings of 100 bytes, which took it ten seconds one by one (§2.3).
  scenario('BUND-12', 'publishes 5,000 settings with one write, and tells each reader once', async (fixture) => {
    const [publisher, reader] = (await fixture.clients(2)) as [Client, Client];
    await publisher.coordinator.bundle('b').publish(settings(5_000, 'old'));
    const seen = new Recorder(reader.coordinator.bundle('b').value$);
    await seen.first(() => true);
    const [written, told] = [await quiet(publisher.link), await quiet(reader.link)];
    const version = await publisher.coordinator.bundle('b').publish(settings(5_000, 'new'));
    await seen.settles((state) => state.version === version);
    expect(difference(await quiet(publisher.link), written)).toEqual({ requests: 1, writes: 1, notifications: 0 });
    const cost = difference(await quiet(reader.link), told);
    expect(cost.notifications).toBe(1);
    expect(cost.requests).toBeLessThanOrEqual(2);
    expect(seen.last?.settings).toEqual(settings(5_000, 'new'));
    seen.stop();
  });

  scenario.alone('BUND-13', 'watches a bundle once, however many settings are watched', async (fixture) => {
    const [watcher, publisher] = (await fixture.clients(2)) as [Client, Client];
    const all = settings(1_000, 'old');
    await publisher.coordinator.bundle('b').publish(all);
    const first = new Recorder(watcher.coordinator.bundle('b').value$);
    await first.first(() => true);
    const before = await quiet(watcher.link);
    const watching = [...all.keys()].map((key) => new Recorder(watcher.coordinator.bundle('b').setting$(key)));
    for (const seen of watching) await seen.first((value) => value?.startsWith('old') === true);
    await publisher.coordinator.bundle('b').publish(new Map([...all, ['17', 'new']]));
    await watching[17]?.settles((value) => value === 'new');
    const cost = difference(await quiet(watcher.link), before);
    expect(cost.notifications).toBe(1);
    expect(cost.requests).toBeLessThanOrEqual(2);
    expect(watching.filter(({ values }) => values.length !== 1)).toHaveLength(1);
    for (const seen of [first, ...watching]) seen.stop();
    // What was told or armed before it was stopped may still arrive.
    await eventually(async () => {
      const stopped = await quiet(watcher.link);
      await publisher.coordinator.bundle('b').publish(all);
      expect(difference(await quiet(watcher.link), stopped)).toEqual({ requests: 0, writes: 0, notifications: 0 });
    });
  });

  scenario(
    'BUND-14',
    'takes a set as it is when published, and lets nobody change what others see',
    async (fixture) => {
      const { coordinator } = await fixture.client();
      const given = new Map([['a', '1']]);
      const publishing = coordinator.bundle('b').publish(given);
      given.set('a', '2');
      await publishing;
      const seen = new Recorder(coordinator.bundle('b').value$);
      const { settings: shown } = await seen.first(() => true);
      expect(() => (shown as Map<string, string>).set('a', '3')).toThrow(TypeError);
      expect(() => (shown as Map<string, string>).delete('a')).toThrow(TypeError);
      expect(() => (shown as Map<string, string>).clear()).toThrow(TypeError);
      const late = new Recorder(coordinator.bundle('b').setting$('a'));
      expect(await late.first(() => true)).toBe('1');
      for (const recorder of [seen, late]) recorder.stop();
    },
  );
}

function settings(count: number, value: string): ReadonlyMap<string, string> {
  return new Map(Array.from({ length: count }, (_, index) => [String(index), value.padEnd(100, '.')]));
}
