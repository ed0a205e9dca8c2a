import type { Grant } from '@concordat/core';
import { expect } from 'vitest';
import { eventually, outcome, throughout } from '../eventually.js';
import { Exclusion, isHeld } from '../exclusion.js';
import type { Client, Fixture } from '../fixture.js';
import { area } from '../scenario.js';

/** The whole store frozen, killed, restarted, emptied: docs/spec/lock.md and session.md. */
export const serverFaults = area('server faults', (scenario) => {
  // Patroni's and etcd3#158's: two leaders after the store was away longer than the timeout.
  scenario.alone(
    'LOSS-20',
    'excludes over a store frozen past the timeout, and tells every holder in time',
    async (fixture) => {
      const { server } = fixture;
      const clients = (await fixture.clients(3)) as [Client, Client, Client];
      const exclusion = new Exclusion();
      const held: { readonly grant: Grant; readonly lostAt: Promise<number>; until: number }[] = [];
      for (const { coordinator } of clients) {
        const grant = await coordinator.lock(`own ${String(held.length)}`).acquire();
        const lostAt = new Promise<number>((resolve) => {
          grant.signal.addEventListener('abort', () => resolve(performance.now()));
        });
        held.push({ grant, lostAt, until: 0 });
      }
      const first = await clients[0].coordinator.lock('a').acquire();
      exclusion.granted(first);
      const waiting = contend(clients, exclusion, 2);
      await fixture.lineOf('lock/a', 4);
      await server.freeze();
      const frozenAt = performance.now();
      await eventually(() => {
        for (const one of held) one.until = Math.max(one.until, one.grant.safeUntil);
        for (const { states } of clients) expect(states.last?.state).toMatch(/connecting|lost/);
      });
      for (const { lostAt, until } of held) {
        // No later than promised, give or take the lateness of a timer on a loaded machine; and within T of the last reply.
        expect(await lostAt).toBeLessThan(until + 500);
        expect(await lostAt).toBeLessThan(frozenAt + fixture.timeoutMs);
      }
      await throughout(fixture.timeoutMs / 4, () => expect(isHeld(first)).toBe(false));
      await server.thaw();
      await waiting;
      expect(exclusion.violations).toEqual([]);
      expect(exclusion.tokens).toHaveLength(7);
    },
  );

  scenario.alone(
    'LOSS-22',
    'keeps what is held over a store that was frozen for less than the timeout',
    async (fixture) => {
      const { server } = fixture;
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const grant = await one.coordinator.lock('a').acquire();
      const waiting = outcome(other.coordinator.lock('a').acquire());
      await fixture.lineOf('lock/a', 2);
      await server.freeze();
      await Promise.all([one, other].map(({ states }) => states.settles(({ state }) => state === 'suspended')));
      expect(isHeld(grant)).toBe(true);
      await server.thaw();
      await Promise.all([one, other].map(({ states }) => states.settles(({ state }) => state === 'connected')));
      expect([one, other].map(({ states }) => states.last?.epoch)).toEqual([1, 1]);
      expect(isHeld(grant)).toBe(true);
      await grant.release();
      expect((await waiting).value?.token).toBeGreaterThan(grant.token);
    },
  );

  // pulsar#24478: two brokers owned a topic after a restart.
  scenario.alone('LOSS-21', 'excludes over a store that is killed and started again', async (fixture) => {
    const { server } = fixture;
    const clients = (await fixture.clients(3)) as [Client, Client, Client];
    const exclusion = new Exclusion();
    const first = await clients[0].coordinator.lock('a').acquire();
    exclusion.granted(first);
    const waiting = contend(clients, exclusion, 2);
    await fixture.lineOf('lock/a', 4);
    await server.kill();
    await eventually(() => expect(clients.map(({ states }) => states.last?.state)).not.toContain('connected'));
    await server.start();
    for (const { states } of clients) await states.settles(({ state }) => state === 'connected', 30_000);
    // Kept or lost by how long the start took: what counts is that flag and session agree.
    expect(isHeld(first)).toBe(clients[0].states.last?.epoch === 1);
    await exclusion.release(first);
    await waiting;
    expect(exclusion.violations).toEqual([]);
    await fixture.lineOf('lock/a', 0);
  });

  // etcd kept its cluster id over a wipe, so ids prove nothing; pulsar, etcd3#31: data gone, silence.
  scenario.alone('SESS-11', 'ends the session when the store lost everything, and opens another', async (fixture) => {
    const { coordinator, states } = await fixture.client();
    const grant = await coordinator.lock('a').acquire();
    await fixture.server.wipe();
    await eventually(() => expect(isHeld(grant)).toBe(false), fixture.timeoutMs + 10_000);
    expect(grant.signal.reason).toMatchObject({ code: 'GRANT_LOST' });
    await states.first(({ state, epoch }) => state === 'connected' && epoch === 2, 30_000);
    const next = await coordinator.lock('a').acquire({ timeoutMs: 20_000 });
    expect(isHeld(next)).toBe(true);
    expect(await fixture.keys()).toContain('format');
  });

  // spring-integration#1863, vitess#11678 and #5859: limits that a silent or dead store stretched.
  scenario.alone('CANCEL-20', 'keeps every limit with the store frozen', async (fixture) => {
    const { server } = fixture;
    await keepsLimits(
      fixture,
      () => server.freeze(),
      () => server.thaw(),
    );
  });

  scenario.alone('CANCEL-21', 'keeps every limit with the store gone', async (fixture) => {
    const { server } = fixture;
    await keepsLimits(
      fixture,
      () => server.kill(),
      () => server.start(),
    );
  });
});

/** Each client takes the lock that many times, beside the others. */
async function contend(clients: readonly Client[], exclusion: Exclusion, times: number): Promise<void> {
  await Promise.all(
    clients.map(async ({ coordinator }) => {
      for (let round = 0; round < times; round++) {
        const grant = await coordinator.lock('a').acquire();
        exclusion.granted(grant);
        await throughout(20, () => undefined);
        await exclusion.release(grant);
      }
    }),
  );
}

async function keepsLimits(fixture: Fixture, breakStore: () => unknown, mend: () => unknown): Promise<void> {
  const [one, other, leaving] = (await fixture.clients(3)) as [Client, Client, Client];
  await one.coordinator.lock('held').acquire();
  const timeoutMs = 600;
  const slackMs = 1_000;
  const caller = new AbortController();
  const waiting = outcome(other.coordinator.lock('held').acquire({ signal: caller.signal }));
  await fixture.lineOf('lock/held', 2);
  await breakStore();
  const from = performance.now();
  const limited = [
    other.coordinator.lock('held').acquire({ timeoutMs }),
    other.coordinator.lock('free').acquire({ timeoutMs }),
    other.coordinator.lock('free').with(() => 'never', { timeoutMs }),
    fixture.client({ ready: false, link: other.link }).then(({ coordinator }) => coordinator.ready({ timeoutMs })),
  ];
  const tried = outcome(other.coordinator.lock('free').tryAcquire());
  const closed = outcome(leaving.coordinator.close());
  for (const { reason, at } of await Promise.all(limited.map((promise) => outcome<unknown>(promise)))) {
    expect(reason).toMatchObject({ code: 'TIMEOUT' });
    expect(at - from).toBeLessThan(timeoutMs + slackMs);
  }
  caller.abort('enough');
  const { reason, at } = await waiting;
  expect(reason).toBe('enough');
  expect(at - from).toBeLessThan(timeoutMs + 2 * slackMs);
  expect((await tried).reason).toMatchObject({ code: 'UNAVAILABLE' });
  expect((await tried).at - from).toBeLessThan(fixture.requestMs + slackMs);
  expect((await closed).rejected).toBe(false);
  expect((await closed).at - from).toBeLessThan(2 * fixture.requestMs + slackMs);
  await mend();
  await one.states.settles(({ state }) => state === 'connected', 30_000);
  await other.states.settles(({ state }) => state === 'connected', 30_000);
  await fixture.lineOf('lock/free', 0, 20_000);
  await fixture.lineOf('lock/held', one.states.last?.epoch === 1 ? 1 : 0, 20_000);
}
