import { expect } from 'vitest';
import { codeOf, outcome } from '../eventually.js';
import type { Client, Fixture } from '../fixture.js';
import { recordBytes, recordOf, shardOf } from '../once-records.js';
import { area } from '../scenario.js';
import type { StoreClient } from '../store-client.js';

const hourMs = 3_600_000;
const many = 2_000;
const odd = ['a/b', 'a%2Fb', '..', 'ä ö', '🔒', 'x'.repeat(128)] as const;
const never = (): string => {
  throw new Error('this work must not run');
};

/** What an idempotency gate keeps, and for how long: docs/spec/idempotency.md. */
export const idempotencyKeeping = area('idempotency keeping', (scenario) => {
  scenario('ONCE-50', 'lists every key with a record, once', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const keys = [...odd, ...Array.from({ length: 100 }, (_, index) => `key ${String(index)}`)];
    const gate = one.coordinator.idempotency('gate');
    await Promise.all(keys.map((key) => gate.run(key, () => key)));
    await one.coordinator.idempotency('gate2').run('elsewhere', () => 'elsewhere');
    expect((await listed(other)).sort()).toEqual([...keys].sort());
  });

  scenario('ONCE-51', 'sweeps what is more than an hour past its time, and nothing else', async (fixture) => {
    const { coordinator } = await fixture.client();
    const store = await fixture.store();
    const gate = coordinator.idempotency('gate');
    const past = Date.now() - hourMs - 60_000;
    const kept = { late: Date.now() - hourMs + 120_000, future: Date.now() + hourMs };
    for (const state of ['result', 'nothing', 'withdrawn'])
      await store.store(recordOf(state), recordBytes({ state, expiresAt: past }, state === 'result' ? '1' : ''));
    for (const [key, expiresAt] of Object.entries(kept))
      await store.store(recordOf(key), recordBytes({ state: 'result', expiresAt }, '"kept"'));
    await store.store(recordOf('foreign'), 'foreign');
    await gate.run('new', () => 'new', { keepMs: 0 });
    expect(await gate.sweep()).toBe(3);
    expect((await listed({ coordinator })).sort()).toEqual(['foreign', 'future', 'late', 'new']);
    expect(await gate.run('late', never)).toBe('kept');
    expect(await gate.run('new', never)).toBe('new');
    for (const state of ['result', 'nothing', 'withdrawn']) expect(await gate.run(state, () => 'anew')).toBe('anew');
    expect(await gate.sweep()).toBe(0);
  });

  scenario('ONCE-52', 'never sweeps what was begun and not recorded', async (fixture) => {
    const { coordinator } = await fixture.client();
    const store = await fixture.store();
    const gate = coordinator.idempotency('gate');
    await store.store(recordOf('a'), recordBytes({ state: 'intent', at: 0 }));
    await store.store(recordOf('b'), recordBytes({ state: 'intent', at: 0, expiresAt: 0 }));
    expect(await gate.sweep()).toBe(0);
    for (const key of ['a', 'b'])
      expect((await outcome<unknown>(gate.run(key, never))).reason).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });

  // dskit#207: what a clock said was believed; here a record counts as long as it is there.
  scenario('ONCE-53', 'honours a record that is past its time', async (fixture) => {
    const { coordinator } = await fixture.client();
    const store = await fixture.store();
    await store.store(recordOf('a'), recordBytes({ state: 'result', expiresAt: 0 }, '"old"'));
    expect(await coordinator.idempotency('gate').run('a', never)).toBe('old');
  });

  scenario('ONCE-54', 'sweeps each record once, whoever sweeps and runs beside it', async (fixture) => {
    const clients = (await fixture.clients(2)) as [Client, Client];
    const store = await fixture.store();
    const keys = Array.from({ length: 24 }, (_, index) => `key-${String(index)}`);
    const expire = (state: string, value: string): Promise<unknown> =>
      Promise.all(keys.map((key) => store.store(recordOf(key), recordBytes({ state, expiresAt: 0 }, value))));
    const sweep = (): Promise<number[]> =>
      Promise.all(clients.map(({ coordinator }) => coordinator.idempotency('gate').sweep()));
    await expire('result', '"old"');
    expect((await sweep()).reduce((sum, count) => sum + count)).toBe(keys.length);
    // Those that were withdrawn may be run while they are swept.
    await expire('withdrawn', '');
    const sweeping = sweep();
    const answers = await Promise.all(
      clients.map(({ coordinator }, index) =>
        Promise.all(keys.map((key) => coordinator.idempotency('gate').run(key, () => index))),
      ),
    );
    await sweeping;
    const [first, ...others] = answers;
    for (const other of others) expect(other).toEqual(first);
    expect(await Promise.all(keys.map((key) => clients[0].coordinator.idempotency('gate').run(key, never)))).toEqual(
      first,
    );
  });

  scenario.alone('ONCE-55', 'lists and sweeps thousands of keys for a request or two each', async (fixture) => {
    const { coordinator } = await fixture.client();
    await fill(fixture, many);
    const gate = coordinator.idempotency('gate');
    const listing = await costOf(coordinator, async () => (await listed({ coordinator })).length);
    expect(listing.answer).toBe(many);
    expect(listing.requests).toBeLessThanOrEqual(256 + many);
    const sweep = await costOf(coordinator, () => gate.sweep());
    expect(sweep.answer).toBe(many / 50);
    expect(sweep.requests).toBeLessThanOrEqual(listing.requests + many + 20 * sweep.answer);
    expect(await gate.sweep()).toBe(0);
  });

  scenario('ONCE-56', 'rejects a listing and a sweep that are not answered, within their limits', async (fixture) => {
    const [cut, silent, closed] = (await fixture.clients(3)) as [Client, Client, Client];
    await cut.coordinator.idempotency('gate').run('a', () => 'a');
    cut.link.cut();
    silent.link.blackhole();
    const from = performance.now();
    const calls = (options: { readonly timeoutMs?: number; readonly signal?: AbortSignal }) =>
      [cut, silent].flatMap((client) => [
        outcome<unknown>(listed(client, options)),
        outcome<unknown>(client.coordinator.idempotency('gate').sweep(options)),
      ]);
    const [timed, unlimited] = [calls({ timeoutMs: 200 }), calls({})];
    for (const call of calls({ signal: AbortSignal.abort('mine') })) expect((await call).reason).toBe('mine');
    for (const { reason, at } of await Promise.all(timed)) {
      expect(['TIMEOUT', 'UNAVAILABLE']).toContain(codeOf(reason));
      expect(at - from).toBeLessThan(1_200);
    }
    for (const { reason, at } of await Promise.all(unlimited)) {
      expect(reason).toMatchObject({ code: 'UNAVAILABLE', retryable: true });
      expect(at - from).toBeLessThan(fixture.requestMs + 1_000);
    }
    await closed.coordinator.close();
    expect((await outcome<unknown>(listed(closed))).reason).toMatchObject({ code: 'CLOSED' });
    expect((await outcome<unknown>(closed.coordinator.idempotency('gate').sweep())).reason).toMatchObject({
      code: 'CLOSED',
    });
  });
});

async function listed(
  { coordinator }: Pick<Client, 'coordinator'>,
  options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of coordinator.idempotency('gate').keys(options)) keys.push(key);
  return keys;
}

/** Records of that many keys, of which one in fifty has expired; these are of few shards. */
async function fill(fixture: Fixture, count: number): Promise<void> {
  const store = await fixture.store();
  const names = Array.from({ length: count }, (_, index) => `key-${String(index)}`);
  const expiring = new Set(
    [...names].sort((one, other) => (shardOf(one) < shardOf(other) ? -1 : 1)).slice(0, count / 50),
  );
  const rest = names.values();
  await Promise.all(Array.from({ length: 64 }, () => write(store, rest, expiring)));
}

async function write(store: StoreClient, names: Iterable<string>, expiring: ReadonlySet<string>): Promise<void> {
  for (const name of names) {
    const expiresAt = expiring.has(name) ? 0 : Date.now() + hourMs;
    await store.store(recordOf(name), recordBytes({ state: 'result', expiresAt }, '"kept"'));
  }
}

async function costOf<T>(
  coordinator: Client['coordinator'],
  work: () => Promise<T>,
): Promise<{ readonly answer: T; readonly requests: number }> {
  const before = coordinator.traffic.requests;
  const answer = await work();
  return { answer, requests: coordinator.traffic.requests - before };
}
