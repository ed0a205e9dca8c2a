import { filter, take } from 'rxjs';
import { expect } from 'vitest';
import { eventually, outcome, throughout } from '../eventually.js';
import type { Client } from '../fixture.js';
import { lineOf, recordBytes, recordOf } from '../once-records.js';
import { OpenWork, runA } from '../open-work.js';
import { area } from '../scenario.js';

const rerun = { onInterrupted: 'rerun' } as const;
const never = (): string => {
  throw new Error('this work must not run');
};

/** The idempotency gate when its runners die, are cut off, or do not hear: docs/spec/idempotency.md. */
export const idempotencyFaults = area('idempotency faults', (scenario) => {
  // vitess#20340: a worker went on after the end of its lock; here the next one is told, and does not run it again.
  scenario('ONCE-20', 'tells of a key whose runner was lost in the middle, and does not run it', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const open = await OpenWork.begin(one.coordinator, 'a');
    const { token } = await open.begun;
    const waiting = outcome(runA(other, never));
    await fixture.lineOf(lineOf('a'), 2);
    await fixture.expire(one);
    const { reason } = await waiting;
    expect(reason).toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false });
    expect(String(reason)).toContain('"a"');
    expect(String(reason)).toContain(String(token));
    expect((await outcome<unknown>(runA(other, never))).reason).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await fixture.lineOf(lineOf('a'), 0);
  });

  scenario('ONCE-21', 'runs an interrupted work again with consent', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const { begun } = await OpenWork.begin(one.coordinator, 'a');
    const before = await begun;
    await fixture.expire(one);
    let token = 0n;
    const again = (grant: { readonly token: bigint }): string => {
      token = grant.token;
      return 'again';
    };
    expect(await other.coordinator.idempotency('gate').run('a', again, rerun)).toBe('again');
    expect(token).toBeGreaterThan(before.token);
    expect(await runA(one, never, rerun)).toBe('again');
  });

  scenario('ONCE-57', 'stays interrupted when who consented did not run it, or failed', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    await OpenWork.begin(one.coordinator, 'a');
    await fixture.expire(one);
    const isInterrupted = async (): Promise<void> =>
      expect((await outcome<unknown>(runA(one, never))).reason).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    const caller = new AbortController();
    const granted = other.coordinator.events$.pipe(filter(({ type }) => type === 'acquired'));
    granted.pipe(take(1)).subscribe(() => caller.abort('mine'));
    const consenting = outcome(runA(other, never, { ...rerun, signal: caller.signal }));
    expect((await consenting).reason).toBe('mine');
    await fixture.lineOf(lineOf('a'), 0);
    await isInterrupted();
    const failure = new Error('on purpose');
    expect((await outcome(runA(other, () => Promise.reject(failure), rerun))).reason).toBe(failure);
    await isInterrupted();
    expect(await runA(other, () => 'again', rerun)).toBe('again');
  });

  // Patroni's frozen process and pulsar#24478: the earlier holder came back and wrote.
  scenario('ONCE-22', 'refuses the result of a runner that was overtaken', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const [recorded, running, withdrawn] = await Promise.all(
      ['recorded', 'running', 'withdrawn'].map((key) => OpenWork.begin(one.coordinator, key)),
    );
    await fixture.expire(one);
    const gate = other.coordinator.idempotency('gate');
    await gate.run('recorded', () => 'second', rerun);
    const beside = await OpenWork.begin(other.coordinator, 'running', rerun);
    await outcome(gate.run('withdrawn', () => Promise.reject(new Error('on purpose')), rerun));
    // By somebody else, while the lock is held: the version is the guard.
    const byHand = await OpenWork.begin(other.coordinator, 'by hand');
    const store = await fixture.store();
    const replacement = recordBytes({ state: 'result', expiresAt: 0 }, '"second"');
    await store.store(recordOf('by%20hand'), replacement);
    for (const stale of [recorded, running, withdrawn, byHand]) {
      stale?.finish('first');
      expect((await stale?.outcome)?.reason).toMatchObject({ code: 'GRANT_LOST', retryable: false });
    }
    beside.finish('second');
    expect((await beside.outcome).value).toBe('second');
    for (const key of ['recorded', 'running', 'withdrawn', 'by hand'])
      expect(await one.coordinator.idempotency('gate').run(key, () => 'second', rerun)).toBe('second');
  });

  scenario(
    'ONCE-23',
    'records the result of a runner that lost its lock, where nobody contests it',
    async (fixture) => {
      const [ended, cut, other] = (await fixture.clients(3)) as [Client, Client, Client];
      const byOperator = await OpenWork.begin(ended.coordinator, 'ended');
      const bySilence = await OpenWork.begin(cut.coordinator, 'cut');
      await fixture.expire(ended);
      cut.link.blackhole();
      for (const { begun } of [byOperator, bySilence]) {
        const { signal } = await begun;
        await eventually(() => expect(signal.aborted).toBe(true));
        expect(signal.reason).toMatchObject({ code: 'GRANT_LOST' });
      }
      cut.link.heal();
      for (const [key, open] of [
        ['ended', byOperator],
        ['cut', bySilence],
      ] as const) {
        open.finish(`first ${key}`);
        expect((await open.outcome).value).toBe(`first ${key}`);
        expect(await other.coordinator.idempotency('gate').run(key, never)).toBe(`first ${key}`);
      }
    },
  );

  scenario('ONCE-24', 'waits for the work when closed in the middle of it, and rejects', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const open = await OpenWork.begin(one.coordinator, 'a');
    const failing = await OpenWork.begin(one.coordinator, 'b');
    await one.coordinator.close();
    const { signal } = await open.begun;
    expect(signal.reason).toMatchObject({ code: 'CLOSED' });
    let settled = false;
    void open.outcome.then(() => (settled = true));
    await throughout(100, () => expect(settled).toBe(false));
    open.finish('too late');
    failing.fail('on purpose');
    expect((await open.outcome).reason).toMatchObject({ code: 'CLOSED' });
    expect((await failing.outcome).reason).toBe('on purpose');
    for (const key of ['a', 'b'])
      expect((await outcome<unknown>(other.coordinator.idempotency('gate').run(key, never))).reason).toMatchObject({
        code: 'OUTCOME_UNKNOWN',
      });
    expect((await outcome<unknown>(runA(one, never))).reason).toMatchObject({ code: 'CLOSED' });
  });

  scenario('ONCE-25', 'gives up a result that cannot be recorded, in bounded time', async (fixture) => {
    const requestTimeoutMs = 400;
    const { coordinator, link } = await fixture.client({ requestTimeoutMs });
    const other = await fixture.client();
    const open = await OpenWork.begin(coordinator, 'a');
    link.cut();
    const from = performance.now();
    open.finish('lost');
    const { reason, at } = await open.outcome;
    expect(reason).toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false });
    expect(at - from).toBeLessThan(8 * requestTimeoutMs + 1_000);
    expect((await outcome<unknown>(runA(other, never))).reason).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });

  scenario('ONCE-26', 'frees the key of a work that threw in an outage, when it is over', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const open = await OpenWork.begin(one.coordinator, 'a');
    one.link.cut();
    open.fail('on purpose');
    await one.states.settles(({ state }) => state === 'suspended');
    one.link.heal();
    expect((await open.outcome).reason).toBe('on purpose');
    expect(await runA(other, () => 'well')).toBe('well');
  });

  scenario('ONCE-27', 'never replaces the intent of a later holder, with consent neither', async (fixture) => {
    const client = await fixture.client();
    const store = await fixture.store();
    const later = recordBytes({ state: 'intent', token: '9'.repeat(30) });
    const { version } = await store.store(recordOf('a'), later);
    expect((await outcome<unknown>(runA(client, never, rerun))).reason).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect((await store.get(recordOf('a')))?.version).toBe(version);
  });
});
