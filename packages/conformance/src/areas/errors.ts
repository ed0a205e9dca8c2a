import { inspect } from 'node:util';
import { CoordinationError, createCoordinator, fencing } from '@concordat/core';
import { expect } from 'vitest';
import { outcome } from '../eventually.js';
import { noiseSoFar } from '../noise.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';
import { toBytes } from '../store-client.js';

/** What is refused, and how: docs/spec/errors.md. */
export const errors = area('errors', (scenario) => {
  scenario('ERR-01', 'refuses a wrong name before anything is sent', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const { requests } = link.wire;
    const names: unknown[] = ['', 'x'.repeat(129), '\uD800', 'a\uDC00b', 7, null, undefined, {}];
    for (const name of names)
      expect(() => coordinator.lock(name as string)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(link.wire.requests).toBe(requests);
  });

  scenario(
    'ERR-02',
    'refuses data above 1,000,000 bytes before anything is sent, and takes what is just as large',
    async (fixture) => {
      const { coordinator, link } = await fixture.client();
      const { requests } = link.wire;
      const data = new Uint8Array(1_000_001);
      const lock = coordinator.lock('a');
      await expect(lock.acquire({ data })).rejects.toMatchObject({ code: 'TOO_LARGE' });
      await expect(lock.tryAcquire({ data: 'é'.repeat(500_001) })).rejects.toMatchObject({ code: 'TOO_LARGE' });
      await expect(lock.with(() => undefined, { data })).rejects.toMatchObject({ code: 'TOO_LARGE' });
      const holding = new Recorder(lock.hold({ data }));
      await holding.end();
      expect(holding.reason).toMatchObject({ code: 'TOO_LARGE' });
      expect(link.wire.requests).toBe(requests);
      await lock.with(() => undefined, { data: data.subarray(1) });
      await lock.with(() => undefined, { data: '' });
    },
  );

  scenario('ERR-03', 'refuses a wrong limit before anything is sent', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const { requests } = link.wire;
    for (const timeoutMs of [-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5' as unknown as number]) {
      const waits = [
        coordinator.lock('a').acquire({ timeoutMs }),
        coordinator.lock('a').tryAcquire({ timeoutMs }),
        coordinator.ready({ timeoutMs }),
      ];
      for (const wait of waits)
        expect((await outcome<unknown>(wait)).reason).toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    expect(link.wire.requests).toBe(requests);
  });

  scenario('ERR-04', 'refuses wrong options before it opens anything, and names what was meant', async (fixture) => {
    const link = await fixture.link();
    const { driver, sessionTimeoutMs } = fixture.harness;
    const open = (options: Record<string, unknown>) => () =>
      createCoordinator(driver, { ...link.options, sessionTimeoutMs, allowShortSession: true, ...options });
    const wrong: Record<string, unknown>[] = [
      { sessionTimeoutMs: 999 },
      { sessionTimeoutMs: 5_999, allowShortSession: false },
      { sessionTimeoutMs: Number.NaN },
      { sessionTimeoutMs: 600_001 },
      { requestTimeoutMs: 0 },
      { namespace: '' },
      { namespace: 'a//b' },
      { namespace: '/a' },
      { namespace: 'a/../b' },
      { namespace: 'a\u0000' },
      { namespace: 'a😀' },
      { driverOptions: { nobodyKnows: 'x' } },
      { hosts: ['127.0.0.1:99999'] },
      { hosts: ['http://127.0.0.1'] },
    ];
    for (const options of wrong)
      expect(open(options), JSON.stringify(options)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(open({ sesionTimeout: 1 })).toThrow(/sessionTimeoutMs/);
    expect(link.wire.requests).toBe(0);
  });

  scenario('ERR-05', 'refuses a namespace of a newer layout, and writes nothing to it', async (fixture) => {
    await fixture.world.operator.write(fixture.namespace, 'format', toBytes('{"layout":2,"tokenBase":"0"}'));
    const { coordinator } = await fixture.client({ ready: false });
    await expect(coordinator.ready()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await expect(coordinator.lock('a').acquire()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await expect(coordinator.lock('a').tryAcquire()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect(await fixture.entries('lock/a')).toEqual([]);
  });

  scenario('ERR-06', 'refuses a format register that it did not write', async (fixture) => {
    for (const value of [
      'nonsense',
      '{"layout":1}',
      '{"layout":1,"tokenBase":"-1"}',
      '[]',
      '{"layout":1,"tokenBase":5}',
    ]) {
      await fixture.world.operator.write(fixture.namespace, 'format', toBytes(value));
      const { coordinator } = await fixture.client({ ready: false });
      await expect(coordinator.ready({ timeoutMs: 10_000 })).rejects.toMatchObject({ code: 'BACKEND' });
      await expect(coordinator.lock('a').acquire({ timeoutMs: 10_000 })).rejects.toMatchObject({ code: 'BACKEND' });
      await coordinator.close();
    }
    expect(await fixture.entries('lock/a')).toEqual([]);
  });

  scenario('ERR-07', 'adds the namespace’s token base to every token', async (fixture) => {
    const base = 10n ** 20n;
    await fixture.world.operator.write(
      fixture.namespace,
      'format',
      toBytes(`{"layout":1,"tokenBase":"${String(base)}"}`),
    );
    const { coordinator } = await fixture.client();
    const grant = await coordinator.lock('a').acquire();
    expect(grant.token).toBeGreaterThan(base);
    expect(grant.token).toBeLessThan(2n * base);
    expect(grant.fence > fencing.formatFence(base)).toBe(true);
    const line = new Recorder(coordinator.lock('a').contenders$);
    await line.first(({ contenders }) => contenders[0]?.token === grant.token);
    line.stop();
  });

  scenario('ERR-08', 'makes the format register once', async (fixture) => {
    const [store] = await fixture.stores(1);
    await fixture.clients(3);
    const made = await store?.get('format');
    expect(new TextDecoder().decode(made?.value)).toBe('{"layout":1,"tokenBase":"0"}');
    await fixture.client();
    expect(await store?.get('format')).toEqual(made);
  });

  scenario('ERR-09', 'says in a typed error that a driver cannot be loaded or does not fit', async (fixture) => {
    const { driver } = fixture.harness;
    const options = { storeName: 'never opened' };
    const missing = createCoordinator(() => Promise.reject(new Error('Cannot find package')), options);
    for (const wait of [missing.ready(), missing.lock('a').acquire(), missing.lock('a').tryAcquire()])
      expect((await outcome<unknown>(wait)).reason).toMatchObject({ code: 'DRIVER_UNAVAILABLE', retryable: false });
    await missing.close();
    const unfit = { ...driver, specVersion: 0 as unknown as typeof driver.specVersion };
    expect(() => createCoordinator(unfit, options)).toThrow(expect.objectContaining({ code: 'DRIVER_UNAVAILABLE' }));
  });

  scenario('ERR-10', 'shows no password', async (fixture) => {
    const link = await fixture.link();
    link.cut();
    const password = 'correct horse';
    const credentials = { username: 'somebody', password };
    const { coordinator, events } = await fixture.client({ link, ready: false, credentials });
    const { reason } = await outcome(coordinator.ready({ timeoutMs: 200 }));
    await coordinator.close();
    for (const shown of [coordinator, reason, events.values])
      expect(inspect(shown, { depth: 8, showHidden: true })).not.toContain(password);
    expect(CoordinationError.is(reason, 'TIMEOUT')).toBe(true);
  });

  scenario.alone('ERR-11', 'has made Node warn of nothing, and left no rejection unhandled', async (fixture) => {
    await fixture.client();
    expect(noiseSoFar()).toEqual([]);
  });
});
