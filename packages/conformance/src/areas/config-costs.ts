import type { ConfigState } from '@concordat/core';
import { expect } from 'vitest';
import { eventually, outcome } from '../eventually.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import type { Define } from '../scenario.js';
import { difference, quiet } from '../wire-tally.js';

/** Keys, and what watching costs: docs/spec/config.md. */
export function configCosts(scenario: Define): void {
  // Vitess, valkeyrie and tooz, peers.md (b) 10; vitess#15118, (c) 83; dapr components-contrib#1999, (c) 77.
  scenario('CONF-40', 'lists what lies right below a prefix, sorted, and nothing of its own', async (fixture) => {
    const { coordinator } = await fixture.client();
    expect(await coordinator.configKeys()).toEqual([]);
    expect(await coordinator.configKeys('none')).toEqual([]);
    await coordinator.lock('held').acquire();
    await coordinator.bundle('settings').publish({ a: '1' });
    for (const path of ['b', 'a', 'B', 'ä', 'gone', 'dir/b', 'dir/a', 'dir/deep/c', 'directory/a'])
      await coordinator.config(path).set(1);
    await coordinator.config('gone').delete();
    expect(await coordinator.configKeys()).toEqual(['B', 'a', 'b', 'ä']);
    expect(await coordinator.configKeys('')).toEqual(['B', 'a', 'b', 'ä']);
    expect(await coordinator.configKeys('dir')).toEqual(['a', 'b']);
    expect(await coordinator.configKeys('dir/deep')).toEqual(['c']);
    await coordinator.config('dir').set(1);
    expect(await coordinator.configKeys()).toEqual(['B', 'a', 'b', 'dir', 'ä']);
  });

  // pulsar#14177: a failed read emptied a listing.
  scenario('CONF-41', 'rejects a listing that it cannot read', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    await one.coordinator.config('a').set(1);
    one.link.cut();
    other.link.blackhole();
    const cut = outcome(one.coordinator.configKeys());
    const silent = outcome(other.coordinator.configKeys());
    expect((await cut).reason).toMatchObject({ code: 'UNAVAILABLE' });
    expect((await silent).reason).toMatchObject({ code: 'UNAVAILABLE' });
    await expect(one.coordinator.configKeys('', { timeoutMs: 50 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  scenario.alone('CONF-52', 'keeps its session while 2,000 values begin to be watched at once', async (fixture) => {
    const { coordinator, states } = await fixture.client();
    const values = Array.from({ length: 2_000 }, (_, index) => coordinator.config(`many/${String(index)}`));
    const watching = values.map(({ value$ }) => new Recorder(value$));
    await eventually(() => expect(watching.filter(({ values: [first] }) => first === undefined)).toHaveLength(0));
    expect(states.values.filter(({ state }) => state === 'lost')).toHaveLength(0);
  });

  scenario.alone('CONF-50', 'costs one notification for a change among 1,000 watched values', async (fixture) => {
    const [watcher, writer] = (await fixture.clients(2)) as [Client, Client];
    const names = Array.from({ length: 1_000 }, (_, index) => `many/${String(index)}`);
    const rest = names.values();
    const make = async (): Promise<void> => {
      for (const name of rest) await writer.coordinator.config(name).set(0);
    };
    await Promise.all(Array.from({ length: 25 }, make));
    const watching: Recorder<ConfigState<unknown>>[] = [];
    for (const name of names) {
      watching.push(new Recorder(watcher.coordinator.config(name).value$));
      if (watching.length % 50 > 0) continue;
      for (const seen of watching.slice(-50)) await seen.first(({ version }) => version !== undefined);
    }
    const before = await quiet(watcher.link);
    for (const index of [3, 500, 999]) {
      await writer.coordinator.config(`many/${String(index)}`).set('changed');
      await watching[index]?.settles(({ value }) => value === 'changed');
    }
    const cost = difference(await quiet(watcher.link), before);
    expect(cost.notifications).toBe(3);
    expect(cost.requests).toBeLessThanOrEqual(6);
    const changed = watching.filter(({ values }) => new Set(values.map(({ version }) => version)).size !== 1);
    expect(changed).toHaveLength(3);
    for (const seen of watching) seen.stop();
  });

  // vitess#17076 and dolphinscheduler#14008: one more of something with each call.
  scenario('CONF-51', 'watches a path once, and no more when nobody looks', async (fixture) => {
    const [watcher, writer] = (await fixture.clients(2)) as [Client, Client];
    await writer.coordinator.config('a').set(0);
    const first = new Recorder(watcher.coordinator.config('a').value$);
    await first.first(() => true);
    const watched = await quiet(watcher.link);
    const others = Array.from({ length: 50 }, () => new Recorder(watcher.coordinator.config('a').value$));
    for (const seen of others) await seen.first(() => true);
    expect(difference(await quiet(watcher.link), watched)).toEqual({ requests: 0, writes: 0, notifications: 0 });
    await writer.coordinator.config('a').set(1);
    for (const seen of [first, ...others]) await seen.settles(({ value }) => value === 1);
    const changed = difference(await quiet(watcher.link), watched);
    expect(changed.notifications).toBe(1);
    expect(changed.requests).toBeLessThanOrEqual(2);
    for (const seen of [first, ...others]) seen.stop();
    // What was told or armed before it was stopped may still arrive.
    await eventually(async () => {
      const stopped = await quiet(watcher.link);
      await writer.coordinator.config('a').set('unseen');
      expect(difference(await quiet(watcher.link), stopped)).toEqual({ requests: 0, writes: 0, notifications: 0 });
    });
  });
}
