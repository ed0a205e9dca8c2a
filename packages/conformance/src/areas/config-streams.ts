import { type ConfigState, text } from '@concordat/core';
import { expect } from 'vitest';
import { eventually, throughout } from '../eventually.js';
import type { Client } from '../fixture.js';
import { required } from '../lines.js';
import { Recorder } from '../recorder.js';
import type { Define } from '../scenario.js';
import { toBytes } from '../store-client.js';

/** What those who watch are shown: docs/spec/config.md. */
export function configStreams(scenario: Define): void {
  // Watching what is missing, and deletions: Vitess, peers.md (b) 11 and 12; traefik#2068, (c) 75.
  scenario('CONF-30', 'shows the current state, then sets and deletions', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const value = one.coordinator.config('a/b');
    const seen = new Recorder(other.coordinator.config('a/b').value$);
    await seen.first(() => true);
    const first = await value.set({ on: true });
    await seen.settles(({ version }) => version === first);
    await value.delete();
    await seen.settles(({ version }) => version === undefined);
    const second = await value.set({ on: true });
    await seen.settles(({ version }) => version === second);
    const absent = { value: undefined, version: undefined, error: null };
    const present = { value: { on: true }, error: null };
    expect(shownBy(seen)).toEqual([absent, { ...present, version: first }, absent, { ...present, version: second }]);
    const late = new Recorder(one.coordinator.config('a/b').value$);
    await late.first(() => true);
    expect(shownBy(late)).toEqual([{ ...present, version: second }]);
    for (const recorder of [seen, late]) recorder.stop();
  });

  // dskit, peers.md (b) 23; pulsar#20405, (c) 69; patroni PR3318, (c) 8.
  scenario('CONF-31', 'never goes back, and ends with the last write, beside many writers', async (fixture) => {
    const [watcher, ...writers] = (await fixture.clients(4)) as [Client, ...Client[]];
    const seen = new Recorder(watcher.coordinator.config('a').value$);
    await Promise.all(
      writers.map(async ({ coordinator }, writer) => {
        for (let round = 0; round < 40; round++) {
          if (round % 10 === 9) await coordinator.config('a').delete();
          await coordinator.config('a').set(`${String(writer)} ${String(round)}`);
        }
      }),
    );
    const last = await watcher.coordinator.config('a').get();
    const state = await seen.settles(({ version }) => version === last?.version);
    expect(state.value).toBe(last?.value);
    const states = seen.values.filter(({ version }) => version !== undefined);
    // The same one comes again only with another mark: on a busy machine the session may be suspended for a moment.
    const risesFrom = ({ version = 0n, stale }: (typeof states)[number], before: (typeof states)[number]): boolean =>
      version > (before.version ?? 0n) || (version === before.version && stale !== before.stale);
    expect(states.every((now, index) => index === 0 || risesFrom(now, required(states[index - 1])))).toBe(true);
    seen.stop();
  });

  // microsoft/etcd3#31, #72, #78, #114, (c) 71; traefik#566, (c) 74; vitess#18209, (c) 65; dapr#6557, (c) 76.
  scenario('CONF-32', 'keeps the last state in an outage, marked stale, and catches up by itself', async (fixture) => {
    const [watcher, other] = (await fixture.clients(2)) as [Client, Client];
    const version = await other.coordinator.config('a').set('before');
    const seen = new Recorder(watcher.coordinator.config('a').value$);
    const absent = new Recorder(watcher.coordinator.config('none').value$);
    await seen.first(() => true);
    await absent.first(() => true);
    watcher.link.cut();
    await seen.settles(({ stale }) => stale);
    await other.coordinator.config('a').set('between');
    await other.coordinator.config('a').set('after');
    await throughout(fixture.timeoutMs / 8, () =>
      expect(seen.last).toEqual({ value: 'before', version, stale: true, error: null }),
    );
    watcher.link.heal();
    await seen.settles(({ value, stale }) => value === 'after' && !stale);
    await absent.settles(({ stale }) => !stale);
    expect([absent.values[0]?.stale, absent.values.some(({ stale }) => stale)]).toEqual([false, true]);
    expect(absent.values.every(({ version: none, error }) => none === undefined && error === null)).toBe(true);
    for (const recorder of [seen, absent]) recorder.stop();
  });

  // ClickHouse#2947, (c) 67; vitess PR#5673 and #5308, (c) 66; patroni PR3426, (c) 78.
  scenario('CONF-33', 'goes on in a new session, and after a silent partition', async (fixture) => {
    const [expired, silent, other] = (await fixture.clients(3)) as [Client, Client, Client];
    await other.coordinator.config('a').set('before');
    const watching = [expired, silent].map(({ coordinator }) => new Recorder(coordinator.config('a').value$));
    for (const seen of watching) await seen.settles(({ value }) => value === 'before');
    await fixture.expire(expired);
    silent.link.blackhole();
    await expired.states.settles(({ state, epoch }) => state === 'connected' && epoch === 2);
    await silent.states.settles(({ epoch, state }) => epoch === 2 || state === 'lost');
    await other.coordinator.config('a').set('after');
    silent.link.heal();
    for (const seen of watching) {
      await seen.settles(({ value, stale }) => value === 'after' && !stale);
      expect(seen.values.every(({ version, error }) => version !== undefined && error === null)).toBe(true);
      expect(seen.ended).toBe(false);
      seen.stop();
    }
  });

  scenario('CONF-34', 'tells of what cannot be decoded beside the last good value, and goes on', async (fixture) => {
    const { coordinator } = await fixture.client();
    const write = (stored: string): Promise<void> =>
      fixture.world.operator.write(fixture.namespace, 'config/a', toBytes(stored));
    await write('{"half": ');
    const seen = new Recorder(coordinator.config('a').value$);
    await seen.first(
      ({ error, version, value }) => error?.code === 'BACKEND' && version === undefined && value === undefined,
    );
    const version = await coordinator.config('a').set('good');
    await seen.settles((state) => state.version === version);
    await write('{"half again": ');
    const kept = await seen.settles(({ error }) => error !== null);
    expect(kept).toMatchObject({ value: 'good', version, stale: false, error: { code: 'BACKEND' } });
    await coordinator.config('a').delete();
    await seen.settles((state) => state.version === undefined && state.value === undefined && state.error === null);
    await coordinator.config('a').set('better');
    await seen.settles(({ value, error }) => value === 'better' && error === null);
    expect(seen.ended).toBe(false);
    seen.stop();
  });

  scenario('CONF-35', 'shows in an outage to a late one what others see', async (fixture) => {
    const { coordinator, link, states } = await fixture.client();
    await coordinator.config('a', text).set('kept');
    const first = new Recorder(coordinator.config('a', text).value$);
    await first.first(({ stale }) => !stale);
    link.blackhole();
    await states.settles(({ state }) => state === 'suspended');
    const early = new Recorder(coordinator.config('a', text).value$);
    await states.settles(({ state, epoch }) => state === 'lost' || epoch === 2);
    const late = new Recorder(coordinator.config('a', text).value$);
    for (const seen of [early, late]) {
      await eventually(() => expect(seen.values[0]).toMatchObject({ value: 'kept', stale: true, error: null }), 500);
    }
    link.heal();
    for (const seen of [first, early, late]) {
      await seen.settles(({ stale }) => !stale);
      seen.stop();
    }
  });

  // dapr, peers.md (b) 24: after unsubscribing no event arrives; Vitess, (b) 13.
  scenario('CONF-36', 'is silent after unsubscribing, once or twice', async (fixture) => {
    const { coordinator } = await fixture.client();
    const stopped = new Recorder(coordinator.config('a').value$);
    const going = new Recorder(coordinator.config('a').value$);
    await stopped.first(() => true);
    await going.first(() => true);
    stopped.stop();
    stopped.stop();
    await coordinator.config('a').set('unseen');
    await going.settles(({ value }) => value === 'unseen');
    expect([shownBy(stopped).length, stopped.ended]).toEqual([1, false]);
    going.stop();
  });
}

/** What was shown, without the marks of a short suspension that a loaded machine brings. */
function shownBy(seen: Recorder<ConfigState<unknown>>): readonly Omit<ConfigState<unknown>, 'stale'>[] {
  return seen.values
    .filter(({ version }, index) => index === 0 || version !== seen.values[index - 1]?.version)
    .map(({ value, version, error }) => ({ value, version, error }));
}
