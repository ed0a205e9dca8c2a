import { inspect } from 'node:util';
import { bytes, type Codec, CoordinationError, text } from '@concordat/core';
import { expect } from 'vitest';
import { codeOf, outcome, throughout, within } from '../eventually.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import type { Define } from '../scenario.js';
import { textOf, toBytes } from '../store-client.js';

/** What is refused, what fails, and what is left then: docs/spec/config.md. */
export function configRefusals(scenario: Define): void {
  scenario('CONF-05', 'refuses options that it does not understand before anything is sent', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const value = coordinator.config('a');
    const { requests } = link.wire;
    const wrong: unknown[] = [undefined, null, 0, '0', 'none', -1n, true];
    const calls = [
      // A version that is missing must not become "whatever is there"; Patroni's falsy zero was such a skip.
      ...wrong.map((expected) => value.set(1, { expect: expected } as { expect: bigint })),
      ...[...wrong, 'absent', 'any'].map((expected) => value.delete({ expect: expected } as { expect: bigint })),
      value.get({ consistency: 'eventual' as 'session' }),
      value.get({ timeout: 5 } as object),
      value.set(1, { version: 5n } as object),
      value.update(() => 1, { expect: 'any' } as object),
      value.set(1, { timeoutMs: -1 }),
      coordinator.configKeys('', { prefix: 'a' } as object),
    ];
    for (const call of calls) expect((await outcome<unknown>(call)).reason).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(link.wire.requests).toBe(requests);
  });

  scenario('CONF-06', 'refuses paths that not every store takes, and stores others as they are', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const { requests } = link.wire;
    const invalid = expect.objectContaining({ code: 'INVALID_ARGUMENT' }) as Error;
    const wrong: unknown[] = ['', '/a', 'a/', 'a//b', '.', 'a/../b', 'a\u0000', 'a\u007F', '\uE000', '\uD800', '😀', 7];
    for (const path of [...wrong, null, 'x'.repeat(1_025)]) {
      expect(() => coordinator.config(path as string)).toThrow(invalid);
      if (path !== '')
        expect((await outcome(coordinator.configKeys(path as string))).reason).toMatchObject({
          code: 'INVALID_ARGUMENT',
        });
    }
    expect(link.wire.requests).toBe(requests);
    const paths = ['a', 'a/b', 'a/b/Ä ö%2F', 'A', '...'];
    for (const path of paths) await coordinator.config(path).set(path);
    for (const path of paths) expect((await coordinator.config(path).get())?.value).toBe(path);
    expect(await fixture.keys()).toEqual(expect.arrayContaining(paths.map((path) => `config/${path}`)));
  });

  scenario('CONF-07', 'refuses values that no store takes before anything is sent', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const [any, raw, words] = [coordinator.config('a'), coordinator.config('a', bytes), coordinator.config('a', text)];
    await any.set('there');
    const { requests } = link.wire;
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const failing: Codec<string> = { ...text, encode: (value) => Number.parseInt(value, 10).toFixed(-1) as never };
    const invalid = [
      ...[undefined, 1n, () => 1, circle].map((value) => any.set(value)),
      ...['', '\uD800', 5].map((value) => words.set(value as string)),
      ...[new Uint8Array(0), 'text', [1]].map((value) => raw.set(value as Uint8Array)),
      coordinator.config('a', failing).set('x'),
    ];
    for (const set of invalid) expect((await outcome(set)).reason).toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(raw.set(new Uint8Array(1_000_001))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(words.set('é'.repeat(500_001))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(link.wire.requests).toBe(requests);
    await raw.set(new Uint8Array(1_000_000).fill(7));
    expect((await raw.get())?.value).toHaveLength(1_000_000);
  });

  scenario('CONF-08', 'says that a stored value cannot be decoded, and quotes nothing of it', async (fixture) => {
    const { coordinator } = await fixture.client();
    const secret = 'hunter2';
    const stored = `{"password": ${secret}`;
    await fixture.world.operator.write(fixture.namespace, 'config/a', toBytes(stored));
    const quoting: Codec<string> = {
      ...text,
      decode: () => {
        throw new TypeError(`${secret} is no good`);
      },
    };
    const explaining: Codec<string> = {
      ...text,
      decode: () => {
        throw new CoordinationError('BACKEND', 'field "port" is missing');
      },
    };
    for (const value of [
      coordinator.config('a'),
      coordinator.config('a', quoting),
      coordinator.config('a', explaining),
    ]) {
      const reasons = [await outcome<unknown>(value.get()), await outcome<unknown>(value.update(() => 'over'))];
      for (const { reason } of reasons) {
        expect(reason).toMatchObject({ code: 'BACKEND' });
        expect(inspect(reason, { depth: 8 })).not.toContain(secret);
      }
    }
    const { reason } = await outcome(coordinator.config('a', explaining).get());
    expect((reason as Error).cause).toMatchObject({ message: expect.stringContaining('field "port"') as string });
    expect(textOf(await (await fixture.store()).get('config/a'))).toBe(stored);
    const circle = { secret, toJSON: () => Number(secret).toFixed(-1) };
    expect(inspect((await outcome(coordinator.config('b').set(circle))).reason)).not.toContain(secret);
  });

  // DolphinScheduler's and Spring's reports, peers.md (b) reserves; vitess#11678, (c) 48; patroni#1981, (c) 7.
  scenario('CONF-11', 'rejects what the store did not answer, and never takes it for absence', async (fixture) => {
    const [cut, silent] = (await fixture.clients(2)) as [Client, Client];
    await cut.coordinator.config('a').set('there');
    cut.link.cut();
    silent.link.blackhole();
    const from = performance.now();
    const reads = [cut, silent].flatMap(({ coordinator }) => [
      coordinator.config('a').get(),
      coordinator.config('a').update(() => 'never'),
    ]);
    for (const { reason, at } of await Promise.all(reads.map((read) => outcome<unknown>(read)))) {
      expect(reason).toMatchObject({ code: 'UNAVAILABLE', retryable: true });
      expect(at - from).toBeLessThan(fixture.requestMs + 1_000);
    }
    await expect(cut.coordinator.config('a').set('never')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const other = await fixture.client();
    expect((await other.coordinator.config('a').get())?.value).toBe('there');
  });

  scenario('CONF-13', 'ends with the caller’s abort or limit, and sends nothing after', async (fixture) => {
    const { coordinator, link, states } = await fixture.client();
    const value = coordinator.config('a');
    const version = await value.set('before');
    link.cut();
    await states.settles(({ state }) => state !== 'connected');
    const caller = new AbortController();
    const calls = [
      value.set('aborted', caller),
      value.delete(caller),
      value.get(caller),
      value.update(() => 1, caller),
    ];
    const ended = Promise.all(calls.map((call) => outcome<unknown>(call)));
    const timed = outcome(value.set('timed out', { timeoutMs: 50 }));
    const reason = { mine: true };
    caller.abort(reason);
    for (const call of await within(1_000, 'the end of the calls', ended)) expect(call.reason).toBe(reason);
    expect((await within(1_000, 'the end of the write', timed)).reason).toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringMatching(/nothing was written/) as string,
    });
    link.heal();
    await states.settles(({ state }) => state === 'connected');
    await throughout(200, async () => expect(await value.get()).toEqual({ value: 'before', version }));
    link.swallowReplies();
    const sent = await outcome(value.set('sent', { timeoutMs: fixture.requestMs / 2 }));
    expect(sent.reason).toMatchObject({ code: 'TIMEOUT', message: expect.stringMatching(/may be applied/) as string });
  });

  scenario('CONF-14', 'refuses a namespace of a newer layout, and says so to those who watch', async (fixture) => {
    const [old] = (await fixture.clients(1)) as [Client];
    await old.coordinator.config('a').set('before');
    await fixture.world.operator.write(fixture.namespace, 'format', toBytes('{"layout":2,"tokenBase":"0"}'));
    const { coordinator } = await fixture.client({ ready: false });
    const value = coordinator.config('a');
    const calls = [value.get(), value.set(1), value.update(() => 1), value.delete(), coordinator.configKeys()];
    for (const call of calls) expect((await outcome<unknown>(call)).reason).toMatchObject({ code: 'UNSUPPORTED' });
    const watching = new Recorder(value.value$);
    await watching.settles(({ error }) => codeOf(error) === 'UNSUPPORTED');
    expect(watching.values.every((state) => state.value === undefined)).toBe(true);
    expect(watching.ended).toBe(false);
    watching.stop();
    expect((await old.coordinator.config('a').get())?.value).toBe('before');
  });

  scenario('CONF-15', 'answers CLOSED to everything after a close, and completes streams', async (fixture) => {
    const { coordinator, link, states } = await fixture.client();
    const value = coordinator.config('a');
    await value.set('there');
    const watching = new Recorder(value.value$);
    await watching.first(() => true);
    link.cut();
    await states.settles(({ state }) => state !== 'connected');
    const pending = outcome(value.set('never'));
    await coordinator.close();
    expect((await pending).reason).toMatchObject({ code: 'CLOSED' });
    const calls = [value.get(), value.set(1), value.update(() => 1), value.delete(), coordinator.configKeys()];
    for (const call of calls) expect((await outcome<unknown>(call)).reason).toMatchObject({ code: 'CLOSED' });
    const late = new Recorder(value.value$);
    await late.end();
    expect([watching.completed, late.completed, late.values.length]).toEqual([true, true, 0]);
  });
}
