import { bytes, text } from '@concordat/core';
import { expect } from 'vitest';
import { nextTurn, outcome, throughout } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { lineOf, readRecord, recordBytes, recordOf, shardOf } from '../once-records.js';
import { OpenWork } from '../open-work.js';
import { area } from '../scenario.js';

const odd = ['a', 'a/b', 'a%2Fb', '.', '..', '*~!()', 'ä ö', '錠', '🔒', '\u0000', 'x'.repeat(128), 'A'] as const;
const never = (): string => {
  throw new Error('this work must not run');
};

/** The idempotency gate while nothing is broken: docs/spec/idempotency.md. */
export const idempotency = area('idempotency', (scenario) => {
  scenario('ONCE-01', 'runs the work of a key once, and answers everybody with what was recorded', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    expect(await one.coordinator.idempotency('gate').run('a', () => ({ charged: 7 }))).toEqual({ charged: 7 });
    for (const { coordinator } of [one, other, one])
      expect(await coordinator.idempotency('gate').run('a', never)).toEqual({ charged: 7 });
    await one.coordinator.close();
    const late = await fixture.client();
    expect(await late.coordinator.idempotency('gate').run('a', never)).toEqual({ charged: 7 });
  });

  scenario('ONCE-02', 'runs one of many works of a key at once, and lets the others wait for it', async (fixture) => {
    const clients = await fixture.clients(3);
    let runs = 0;
    const calls = clients.flatMap(({ coordinator }) =>
      Array.from({ length: 4 }, () =>
        coordinator.idempotency('gate').run('a', async () => {
          runs++;
          await throughout(100, () => undefined);
          return runs;
        }),
      ),
    );
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 12 }, () => 1));
    expect(runs).toBe(1);
    await fixture.lineOf(lineOf('a'), 0);
  });

  scenario(
    'ONCE-03',
    'keeps keys apart, whatever characters they have, and gates and locks as well',
    async (fixture) => {
      const { coordinator } = await fixture.client();
      const held = await coordinator.lock('gate').acquire();
      await Promise.all(
        odd.flatMap((name) => [
          coordinator.idempotency('gate').run(name, () => `key ${name}`),
          coordinator.idempotency(name).run('gate', () => `gate ${name}`),
        ]),
      );
      for (const name of odd) {
        expect(await coordinator.idempotency('gate').run(name, never)).toBe(`key ${name}`);
        expect(await coordinator.idempotency(name).run('gate', never)).toBe(`gate ${name}`);
      }
      expect(isHeld(held)).toBe(true);
    },
  );

  scenario('ONCE-04', 'answers with what the codec makes of a result, and with undefined', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const values: readonly unknown[] = [null, 0, '', 'ä', [1, { two: [] }], false, undefined];
    for (const [index, value] of values.entries()) {
      const key = `json ${String(index)}`;
      expect(await one.coordinator.idempotency('gate').run(key, () => value)).toEqual(value);
      expect(await other.coordinator.idempotency('gate').run(key, never)).toEqual(value);
    }
    const line = '\n{"state":"intent"}\n';
    for (const written of ['', line]) {
      await one.coordinator.idempotency('gate', text).run(`text ${written.length}`, () => written);
      expect(await other.coordinator.idempotency('gate', text).run(`text ${written.length}`, never)).toBe(written);
    }
    const every = Uint8Array.from({ length: 256 }, (_, index) => index);
    await one.coordinator.idempotency('gate', bytes).run('bytes', () => every);
    const dead = (): Uint8Array => new Uint8Array();
    expect(await other.coordinator.idempotency('gate', bytes).run('bytes', dead)).toEqual(every);
  });

  scenario('ONCE-05', 'rejects with what the work throws, and leaves the key free', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const failure = new Error('on purpose');
    const fail = (): never => {
      throw failure;
    };
    for (const works of [fail, () => Promise.reject(failure)])
      expect((await outcome(one.coordinator.idempotency('gate').run('a', works))).reason).toBe(failure);
    expect(
      (await outcome(one.coordinator.idempotency('gate').run('a', () => Promise.reject(undefined)))).rejected,
    ).toBe(true);
    expect(await other.coordinator.idempotency('gate').run('a', () => 'well')).toBe('well');
    expect(await one.coordinator.idempotency('gate').run('a', never)).toBe('well');
  });

  scenario('ONCE-06', 'gives the work a grant that is held, with rising tokens', async (fixture) => {
    const clients = (await fixture.clients(2)) as [Client, Client];
    const tokens: bigint[] = [];
    for (const { coordinator } of [...clients, ...clients]) {
      const failing = coordinator.idempotency('gate').run('a', (grant) => {
        expect(isHeld(grant)).toBe(true);
        tokens.push(grant.token);
        throw new Error('on purpose');
      });
      expect((await outcome<unknown>(failing)).reason).toMatchObject({ message: 'on purpose' });
    }
    expect(tokens).toHaveLength(4);
    expect(tokens).toEqual([...new Set(tokens)].sort((before, after) => (before < after ? -1 : 1)));
  });

  scenario('ONCE-07', 'writes records as documented, and honours those of other clients', async (fixture) => {
    const { coordinator } = await fixture.client();
    const store = await fixture.store();
    const from = Date.now();
    let token = 0n;
    await coordinator.idempotency('gate').run(
      'a',
      async (grant) => {
        token = grant.token;
        const header = { state: 'intent', token: String(token), at: expect.any(Number) as number };
        expect(await readRecord(store, 'a')).toEqual({ header, value: '' });
        return { charged: true };
      },
      { keepMs: 5_000 },
    );
    const written = await readRecord(store, 'a');
    expect(written).toMatchObject({ header: { state: 'result', token: String(token) }, value: '{"charged":true}' });
    const { at, expiresAt } = written?.header ?? {};
    expect(at).toBeGreaterThanOrEqual(from);
    expect(at).toBeLessThanOrEqual(Date.now());
    expect(Math.abs(Number(expiresAt) - Number(at) - 5_000)).toBeLessThan(1_000);
    const expiry = { expiresAt: Date.now() + 60_000, by: 'another client' };
    await store.store(recordOf('b'), recordBytes({ state: 'result', ...expiry }, '[1]'));
    await store.store(recordOf('c'), recordBytes({ state: 'nothing', ...expiry }));
    await store.store(recordOf('d'), recordBytes({ state: 'withdrawn', ...expiry }));
    expect(await coordinator.idempotency('gate').run('b', never)).toEqual([1]);
    expect(await coordinator.idempotency('gate').run('c', never)).toBeUndefined();
    expect(await coordinator.idempotency('gate').run('d', () => 'free')).toBe('free');
  });

  scenario('ONCE-08', 'refuses wrong keys and options before anything is sent', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const before = link.wire.requests;
    const gate = coordinator.idempotency('gate');
    const wrong: readonly (() => unknown)[] = [
      ...['', 'x'.repeat(129), '\uD800'].map((key) => () => gate.run(key, never)),
      ...['', 'x'.repeat(129), '\uD800'].map((name) => () => coordinator.idempotency(name)),
      () => gate.run(7 as unknown as string, never),
      () => gate.run('a', 'work' as unknown as () => string),
      ...[-1, Number.NaN, Number.POSITIVE_INFINITY, '7' as unknown as number].map(
        (keepMs) => () => gate.run('a', never, { keepMs }),
      ),
      () => gate.run('a', never, { onInterrupted: 'maybe' as 'rerun' }),
      () => gate.run('a', never, { timeoutMs: -1 }),
      () => gate.run('a', never, { timeout: 5 } as object),
      () => gate.keys({ keepMs: 5 } as object),
      () => gate.sweep({ keepMs: 5 } as object),
    ];
    for (const call of wrong) {
      const { reason } = await outcome((async () => call())());
      expect(reason).toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
    await throughout(50, () => expect(link.wire.requests).toBe(before));
  });

  scenario('ONCE-09', 'limits the waiting before the work only, and leaves the key free', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const gate = other.coordinator.idempotency('gate');
    const before = other.link.wire.writes;
    const aborted = { signal: AbortSignal.abort('mine') };
    expect((await outcome(gate.run('a', never, { ...aborted, timeoutMs: 0 }))).reason).toBe('mine');
    expect((await outcome<unknown>(gate.run('a', never, { timeoutMs: 0 }))).reason).toMatchObject({ code: 'TIMEOUT' });
    await throughout(50, () => expect(other.link.wire.writes).toBe(before));
    const caller = new AbortController();
    const open = await OpenWork.begin(one.coordinator, 'a', { signal: caller.signal, timeoutMs: 5_000 });
    const { reason } = await outcome(gate.run('a', never, { timeoutMs: 2_000 }));
    expect(reason).toMatchObject({ code: 'TIMEOUT' });
    expect(String(reason)).toMatch(/"a".*"gate".*place 2 in line/);
    const waiting = outcome(gate.run('a', never, { signal: caller.signal }));
    await fixture.lineOf(lineOf('a'), 2);
    caller.abort('enough');
    expect((await waiting).reason).toBe('enough');
    expect(isHeld(await open.begun)).toBe(true);
    open.finish('well');
    expect((await open.outcome).value).toBe('well');
    for (let turns = 0; turns < 24; turns++) {
      const moment = new AbortController();
      const key = `turn ${String(turns)}`;
      const call = outcome(gate.run(key, () => 'first', { signal: moment.signal }));
      for (let turn = 0; turn < turns; turn++) await (turn % 2 === 0 ? Promise.resolve() : nextTurn());
      moment.abort('mine');
      const ended = await call;
      if (ended.rejected) expect(ended.reason).toBe('mine');
      const expected = ended.rejected ? 'second' : 'first';
      expect(await one.coordinator.idempotency('gate').run(key, () => 'second')).toBe(expected);
    }
  });

  scenario.alone(
    'ONCE-10',
    'costs a read for what is recorded, and always the same for what is new',
    async (fixture) => {
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const store = await fixture.store();
      const keys = Array.from({ length: 20_000 }, (_, index) => `key-${String(index)}`);
      const [first, second, third, ...rest] = keys.filter((key) => shardOf(key) === '00') as [string, string, string];
      const costOf = async ({ coordinator }: Client, key: string, work: () => unknown): Promise<number> => {
        const before = coordinator.traffic.requests;
        await coordinator.idempotency('gate').run(key, work);
        await fixture.lineOf(lineOf(key), 0);
        return coordinator.traffic.requests - before;
      };
      await costOf(one, first, () => 'first');
      const few = await costOf(one, second, () => 'second');
      await Promise.all(rest.map((key) => store.store(recordOf(key), recordBytes({ state: 'nothing', expiresAt: 0 }))));
      expect(await costOf(one, third, () => 'third')).toBe(few);
      await other.coordinator.ready();
      const before = store.backend.traffic.requests;
      await store.get(recordOf(first));
      expect(await costOf(other, first, never)).toBe(store.backend.traffic.requests - before);
      expect(rest.length).toBeGreaterThan(50);
    },
  );

  scenario('ONCE-40', 'says that the work ran when its result cannot be stored', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const unfit: readonly (readonly [string, unknown, string])[] = [
      ['circle', circle, 'INVALID_ARGUMENT'],
      ['bigint', 7n, 'INVALID_ARGUMENT'],
      ['large', 'x'.repeat(1_000_000), 'TOO_LARGE'],
    ];
    for (const [key, value, code] of unfit) {
      const { reason } = await outcome(one.coordinator.idempotency('gate').run(key, () => value));
      expect(reason).toMatchObject({ code, retryable: false });
      expect(String(reason)).toContain('ran');
      expect((await outcome<unknown>(other.coordinator.idempotency('gate').run(key, never))).reason).toMatchObject({
        code: 'OUTCOME_UNKNOWN',
      });
    }
    const largest = 'x'.repeat(999_800);
    await one.coordinator.idempotency('gate').run('largest', () => largest);
    expect(await other.coordinator.idempotency('gate').run('largest', never)).toBe(largest);
  });

  scenario('ONCE-41', 'does not run what has a record that it cannot read', async (fixture) => {
    const { coordinator } = await fixture.client();
    const store = await fixture.store();
    const unreadable = {
      codec: recordBytes({ state: 'result', expiresAt: 0 }, 'no JSON'),
      foreign: 'foreign',
      header: '{}\n',
      state: recordBytes({ state: 'paused', expiresAt: 0 }),
      token: recordBytes({ state: 'intent', token: 7 }),
    };
    for (const [key, record] of Object.entries(unreadable)) {
      const { version } = await store.store(recordOf(key), record);
      const options = { onInterrupted: 'rerun' } as const;
      const { reason } = await outcome(coordinator.idempotency('gate').run(key, never, options));
      expect(reason).toMatchObject({ code: 'BACKEND' });
      expect((await store.get(recordOf(key)))?.version).toBe(version);
    }
  });
});
