import { inspect } from 'node:util';
import type { Settings } from '@concordat/core';
import { expect } from 'vitest';
import { eventually, nextTurn, outcome, throughout, within } from '../eventually.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import type { Define } from '../scenario.js';
import { textOf } from '../store-client.js';

/** What is published, and what becomes of it: docs/spec/bundle.md. */
export function bundlePublishing(scenario: Define): void {
  scenario('BUND-01', 'publishes a whole set in place of the whole previous one', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const [mine, theirs] = [one.coordinator.bundle('b'), other.coordinator.bundle('b')];
    const seen = new Recorder(theirs.value$);
    await seen.first(() => true);
    expect(seen.last).toMatchObject({ settings: undefined, version: undefined, error: null });
    expect(await mine.get()).toBeUndefined();
    const sets: Record<string, string>[] = [{ a: '1', b: '2' }, { b: '3' }, {}, { c: '' }];
    for (const set of sets) {
      const version = await mine.publish(set);
      const settings = new Map(Object.entries(set));
      expect(await theirs.get()).toEqual({ value: settings, version });
      expect(await seen.settles((state) => state.version === version && !state.stale)).toEqual({
        settings,
        version,
        stale: false,
        error: null,
      });
    }
    seen.stop();
  });

  scenario('BUND-02', 'stores one JSON object with sorted keys: the same set is the same bytes', async (fixture) => {
    const { coordinator } = await fixture.client();
    const store = await fixture.store();
    const entries: [string, string][] = [
      ['b', '2'],
      ['10', 'ten'],
      ['a', 'Ä"\n'],
      ['9', 'nine'],
      ['B', ''],
    ];
    const expected = '{"10":"ten","9":"nine","B":"","a":"Ä\\"\\n","b":"2"}';
    for (const settings of [new Map(entries), Object.fromEntries(entries), new Map([...entries].reverse())]) {
      await coordinator.bundle('a/b').publish(settings);
      expect(textOf(await store.get('bundle/a%2Fb'))).toBe(expected);
    }
    expect([...((await coordinator.bundle('a/b').get())?.value.keys() ?? [])]).toEqual(['10', '9', 'B', 'a', 'b']);
    await coordinator.bundle('a/b').publish({});
    expect(textOf(await store.get('bundle/a%2Fb'))).toBe('{}');
  });

  // peers.md (b) 20.
  scenario('BUND-03', 'publishes over what is expected only', async (fixture) => {
    const bundle = (await fixture.client()).coordinator.bundle('b');
    const refuses = async (expected: 'absent' | bigint): Promise<void> => {
      const before = await bundle.get();
      await expect(bundle.publish({ refused: '' }, { expect: expected })).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await bundle.get()).toEqual(before);
    };
    await refuses(0n);
    const first = await bundle.publish({ a: '1' }, { expect: 'absent' });
    await refuses('absent');
    await refuses(0n);
    const second = await bundle.publish({ a: '2' }, { expect: first });
    await refuses(first);
    expect(await bundle.publish({ a: '3' }, { expect: 'any' })).toBeGreaterThan(second);
    await expect(bundle.publish({}, { expect: undefined } as object)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  scenario('BUND-04', 'gives back any key and any value', async (fixture) => {
    const { coordinator } = await fixture.client();
    const keys = ['__proto__', 'constructor', 'toString', '10', '9', ' ', 'a/b', '\u0000', '😀', '"', '\\', '\u2028'];
    const settings = new Map(keys.map((key, index) => [key, index % 3 === 0 ? '' : `value of ${key}\n`]));
    await coordinator.bundle('b').publish(settings);
    expect((await coordinator.bundle('b').get())?.value).toEqual(settings);
    await coordinator
      .bundle('b')
      .publish(JSON.parse('{"__proto__":"own","constructor":"own too"}') as object as Settings);
    const own = new Map([
      ['__proto__', 'own'],
      ['constructor', 'own too'],
    ]);
    expect((await coordinator.bundle('b').get())?.value).toEqual(own);
    const seen = new Recorder(coordinator.bundle('b').setting$('__proto__'));
    const absent = new Recorder(coordinator.bundle('b').setting$('hasOwnProperty'));
    expect(await seen.first(() => true)).toBe('own');
    expect(await absent.first(() => true)).toBeUndefined();
    for (const recorder of [seen, absent]) recorder.stop();
  });

  scenario('BUND-05', 'refuses what is no set of settings, and quotes no value', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const { requests } = link.wire;
    const secret = 'hunter2';
    const wrong: unknown[] = [undefined, null, 'text', 7, [], [['a', '1']], new Set(['a']), new Date(), () => 1];
    const members = [
      { a: 1 },
      { a: undefined },
      { a: { secret } },
      { '': secret },
      { '\uD800': secret },
      { a: `${secret}\uDC00` },
    ];
    const maps = [new Map([[1, secret]]), new Map([['a', 1]])];
    for (const settings of [...wrong, ...members, ...maps]) {
      const { reason } = await outcome(coordinator.bundle('b').publish(settings as Settings));
      expect(reason).toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect(inspect(reason, { depth: 8 })).not.toContain(secret);
    }
    for (const key of ['', '\uD800', 7])
      expect(() => coordinator.bundle('b').setting$(key as string)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      );
    expect(() => coordinator.bundle('')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(link.wire.requests).toBe(requests);
  });

  scenario('BUND-06', 'takes 1,000,000 bytes, and refuses one more before anything is sent', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const { requests } = link.wire;
    const value = 'x'.repeat(1_000_000 - '{"a":""}'.length);
    const tooLarge = [
      coordinator.bundle('b').publish({ a: `${value}x` }),
      coordinator.bundle('b').publish({ a: value, b: '' }),
    ];
    for (const publishing of tooLarge) expect((await outcome(publishing)).reason).toMatchObject({ code: 'TOO_LARGE' });
    expect(link.wire.requests).toBe(requests);
    await coordinator.bundle('b').publish({ a: value });
    expect((await coordinator.bundle('b').get())?.value.get('a')).toBe(value);
  });

  scenario('BUND-07', 'shows no mixture and no gap beside concurrent publishers, and the last set', async (fixture) => {
    const [reader, ...publishers] = (await fixture.clients(3)) as [Client, ...Client[]];
    await reader.coordinator.bundle('b').publish(uniform('start', 200));
    const seen = new Recorder(reader.coordinator.bundle('b').value$);
    await seen.first(() => true);
    await Promise.all(
      publishers.map(async ({ coordinator }, publisher) => {
        for (let round = 0; round < 20; round++)
          await coordinator.bundle('b').publish(uniform(`${String(publisher)} ${String(round)}`, 200));
      }),
    );
    const last = await reader.coordinator.bundle('b').get();
    await seen.settles(({ version }) => version === last?.version);
    for (const { settings } of seen.values) requireUniform(settings, 200);
    const versions = seen.values.map(({ version }) => version ?? 0n);
    expect(versions.every((version, index) => index === 0 || version > (versions[index - 1] ?? 0n))).toBe(true);
    seen.stop();
  });

  // What the paper's "ready" node is for (§2.3): the leader dies before it has written everything.
  scenario('BUND-08', 'shows a complete set whenever its publisher dies', async (fixture) => {
    const [reader, publisher] = (await fixture.clients(2)) as [Client, Client];
    await publisher.coordinator.bundle('b').publish(large('start'));
    const seen = new Recorder(reader.coordinator.bundle('b').value$);
    await seen.first(() => true);
    for (let turns = 0; turns < 10; turns++) {
      const publishing = outcome(publisher.coordinator.bundle('b').publish(large(String(turns)), { timeoutMs: 300 }));
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      publisher.link.cut();
      const { reason } = await publishing;
      requireUniform((await eventually(() => reader.coordinator.bundle('b').get()))?.value, 500);
      publisher.link.heal();
      await publisher.states.settles(({ state }) => state === 'connected');
      if (reason !== undefined)
        expect(reason).toMatchObject({ code: expect.stringMatching(/TIMEOUT|OUTCOME_UNKNOWN/) as string });
    }
    await publisher.coordinator.bundle('b').publish(large('last'));
    await seen.settles(({ settings }) => settings?.get('0')?.startsWith('last') === true);
    for (const { settings } of seen.values) requireUniform(settings, 500);
    seen.stop();
  });

  scenario('BUND-09', 'shows the old set or the new one when a publication is held up or lost', async (fixture) => {
    const [held, lost, reader] = (await fixture.clients(3)) as [Client, Client, Client];
    const names = ['held', 'lost'];
    for (const name of names) await reader.coordinator.bundle(name).publish(uniform('old', 50));
    const seen = names.map((name) => new Recorder(reader.coordinator.bundle(name).value$));
    for (const recorder of seen) await recorder.first(() => true);
    const before = held.coordinator.traffic.requests;
    held.link.holdRequests();
    lost.link.swallowReplies();
    const holding = outcome(held.coordinator.bundle('held').publish(uniform('late', 50)));
    const losing = outcome(lost.coordinator.bundle('lost').publish(uniform('new', 50)));
    await seen[1]?.settles(({ settings }) => settings?.get('0') === 'new');
    await fixture.sent(held.coordinator, before);
    for (const ending of [holding, losing]) {
      const { reason } = await within(2 * fixture.timeoutMs, 'the end of the publication', ending);
      expect(reason).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    }
    expect((await reader.coordinator.bundle('held').get())?.value).toEqual(uniform('old', 50));
    await held.link.deliverHeld();
    await held.states.settles(({ state }) => state === 'connected');
    // Whether it is still applied is the store's business.
    await throughout(fixture.timeoutMs / 8, async () =>
      requireUniform((await reader.coordinator.bundle('held').get())?.value, 50),
    );
    for (const recorder of seen) {
      for (const { settings } of recorder.values) requireUniform(settings, 50);
      recorder.stop();
    }
  });
}

function uniform(value: string, size: number): Settings {
  return new Map(Array.from({ length: size }, (_, index) => [String(index), value]));
}

/** Large enough for a connection to be cut in the middle of it. */
function large(value: string): Settings {
  return uniform(value.padEnd(600, '.'), 500);
}

function requireUniform(settings: Settings | undefined, size: number): void {
  expect([settings?.size, new Set(settings?.values()).size]).toEqual([size, 1]);
}
