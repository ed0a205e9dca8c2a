import { bytes, type Config, json, text } from '@concordat/core';
import { expect } from 'vitest';
import { outcome, within } from '../eventually.js';
import type { Client } from '../fixture.js';
import type { Define } from '../scenario.js';
import { textOf } from '../store-client.js';

/** What is stored is read: docs/spec/config.md. */
export function configValues(scenario: Define): void {
  scenario('CONF-01', 'answers undefined for an absent value, and what was set for a present one', async (fixture) => {
    const { coordinator } = await fixture.client();
    const flag = coordinator.config('flag');
    expect(await flag.get()).toBeUndefined();
    for (const value of [{ on: true, of: ['a', 1, null] }, 'text', 0, false, null]) {
      const version = await flag.set(value);
      expect(await flag.get()).toEqual({ value, version });
    }
  });

  // peers.md (b) 20: Pulsar's matrix, and Patroni's falsy zero.
  scenario('CONF-02', 'sets over what is expected, and refuses over anything else', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const [mine, theirs] = [one, other].map(({ coordinator }) => coordinator.config('a', text)) as [
      Config<string>,
      Config<string>,
    ];
    const refuses = async (expected: 'absent' | bigint): Promise<void> => {
      const before = await theirs.get();
      const refused = mine.set('refused', { expect: expected });
      await expect(refused).rejects.toMatchObject({ code: 'CONFLICT', retryable: false });
      expect(await theirs.get()).toEqual(before);
    };
    await refuses(0n);
    await refuses(10n ** 12n);
    const first = await mine.set('first', { expect: 'absent' });
    await refuses('absent');
    await refuses(0n);
    const second = await theirs.set('second', { expect: first });
    expect(second).toBeGreaterThan(first);
    await refuses(first);
    const third = await mine.set('third', { expect: 'any' });
    const fourth = await mine.set('fourth');
    expect([third > second, fourth > third]).toEqual([true, true]);
    expect(await theirs.get()).toEqual({ value: 'fourth', version: fourth });
    await mine.delete();
    await refuses(fourth);
    await refuses(0n);
    await mine.set('fifth', { expect: 'absent' });
    const another = coordinator(other).config('another', text);
    expect(await another.set('any over nothing', { expect: 'any' })).toBeGreaterThan(0n);
  });

  scenario('CONF-03', 'refuses a version from before a deletion, though the same was made again', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const old = await coordinator(one).config('a').set('same', { expect: 'absent' });
    expect(await coordinator(other).config('a').delete()).toBe(true);
    const version = await coordinator(other).config('a').set('same', { expect: 'absent' });
    expect(version).toBeGreaterThan(old);
    const mine = coordinator(one).config('a');
    await expect(mine.set('lost update', { expect: old })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(mine.delete({ expect: old })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await mine.get()).toEqual({ value: 'same', version });
  });

  scenario('CONF-04', 'says whether a deletion removed anything, and keeps another version', async (fixture) => {
    const value = (await fixture.client()).coordinator.config('a');
    expect(await value.delete()).toBe(false);
    expect(await value.delete({ expect: 0n })).toBe(false);
    const first = await value.set(1);
    const second = await value.set(2);
    for (const wrong of [first, 0n])
      await expect(value.delete({ expect: wrong })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await value.get()).toEqual({ value: 2, version: second });
    expect(await value.delete({ expect: second })).toBe(true);
    expect(await value.get()).toBeUndefined();
    expect(await value.delete({ expect: second })).toBe(false);
    expect(await value.delete()).toBe(false);
  });

  // patroni#3159: nodes disagreed through stale reads.
  scenario('CONF-09', 'includes in a read what was answered to anybody before it', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const [writer, reader] = [coordinator(one).config('a'), coordinator(other).config('a')];
    for (let round = 0; round < 20; round++) {
      const version = await writer.set(round);
      expect(await reader.get()).toEqual({ value: round, version });
      expect(await writer.get({ consistency: 'session' })).toEqual({ value: round, version });
    }
    await writer.delete();
    expect(await reader.get({ consistency: 'linearizable' })).toBeUndefined();
  });

  scenario('CONF-10', 'takes a value as it is at the call, and gives each reader his own', async (fixture) => {
    const { coordinator } = await fixture.client();
    const raw = Uint8Array.of(1, 2, 3);
    const object = { list: [1] };
    const settings = [coordinator.config('raw', bytes).set(raw), coordinator.config('object').set(object)];
    raw.fill(9);
    object.list.push(2);
    await Promise.all(settings);
    const read = (await coordinator.config('raw', bytes).get())?.value;
    expect(read).toEqual(Uint8Array.of(1, 2, 3));
    read?.fill(9);
    expect((await coordinator.config('raw', bytes).get())?.value).toEqual(Uint8Array.of(1, 2, 3));
    expect((await coordinator.config('object', json).get())?.value).toEqual({ list: [1] });
  });

  // Automatic retries applied writes twice: etcd#14890, jetcd#1444; valkeyrie PR186, peers.md (c) 5.
  scenario('CONF-12', 'rejects a write whose reply was lost, and sends it once', async (fixture) => {
    const { coordinator, link, states } = await fixture.client();
    const value = coordinator.config('a', text);
    const before = await value.set('before');
    const watcher = await fixture.store();
    const seen = watcher.watch('config/a');
    await seen.settles((register) => textOf(register) === 'before');
    link.swallowReplies();
    const setting = outcome(value.set('after', { expect: before }));
    await seen.settles((register) => textOf(register) === 'after');
    const { reason } = await within(2 * fixture.timeoutMs, 'the end of the write', setting);
    expect(reason).toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false });
    link.heal();
    await states.settles(({ state }) => state === 'connected');
    const last = await value.get();
    expect(seen.values.map((register) => register?.version)).toEqual([before, last?.version]);
    seen.stop();
  });

  scenario('CONF-16', 'keeps values, locks and bundles of one name apart', async (fixture) => {
    const { coordinator } = await fixture.client();
    await coordinator.lock('a').with(async () => {
      const version = await coordinator.config('a').set('value');
      await coordinator.bundle('a').publish({ of: 'settings' });
      await coordinator.config('a/b').set('below');
      expect(await coordinator.config('a').get()).toEqual({ value: 'value', version });
    });
    await coordinator.config('a').delete();
    expect((await coordinator.config('a/b').get())?.value).toBe('below');
    expect((await coordinator.bundle('a').get())?.value).toEqual(new Map([['of', 'settings']]));
    expect(await coordinator.configKeys('a')).toEqual(['b']);
  });
}

function coordinator(client: Client): Client['coordinator'] {
  return client.coordinator;
}
