import type { Grant, Lock } from '@concordat/core';
import { fencing } from '@concordat/core';
import { expect } from 'vitest';
import { eventually, outcome, throughout } from '../eventually.js';
import { Exclusion, isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { area } from '../scenario.js';

const odd = ['a', 'a/b', 'a%2Fb', '.', '..', '*~!()', 'ä ö', '錠', '🔒', '\u0000', 'x'.repeat(128), 'A'] as const;

/** The lock while nothing is broken: docs/spec/lock.md. */
export const lock = area('lock', (scenario) => {
  scenario('LOCK-01', 'grants a free lock with a token, a fence, a signal and a time', async (fixture) => {
    const { coordinator } = await fixture.client();
    const grant = await coordinator.lock('a').acquire();
    expect(grant.token).toBeGreaterThan(0n);
    expect(grant.fence).toBe(fencing.formatFence(grant.token));
    expect(grant.fence).toMatch(/^\d{39}$/);
    expect(grant.signal.aborted).toBe(false);
    expect(grant.safeUntil).toBeGreaterThan(performance.now());
    grant.assertHeld();
    expect(await fixture.entries('lock/a')).toHaveLength(1);
  });

  scenario(
    'LOCK-02',
    'excludes every other contender, of this coordinator as well, until released',
    async (fixture) => {
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const held = await one.coordinator.lock('a').acquire();
      const waiting = [one, other].map(({ coordinator }) => outcome(coordinator.lock('a').acquire()));
      let granted = 0;
      for (const wait of waiting) void wait.then(() => granted++);
      await fixture.lineOf('lock/a', 3);
      await throughout(fixture.timeoutMs / 8, () => expect(granted).toBe(0));
      await held.release();
      const first = await Promise.race(waiting);
      await throughout(100, () => expect(granted).toBe(1));
      expect(first.value?.token).toBeGreaterThan(held.token);
      await first.value?.release();
      const [second] = (await Promise.all(waiting)).filter(({ value }) => value !== first.value);
      expect(second?.value?.token).toBeGreaterThan(first.value?.token ?? 0n);
    },
  );

  // pulsar, tooz and Vitess each had a waiter overtaken; ZooKeeper paper §2.4.
  scenario('LOCK-03', 'serves waiters in the order in which they entered the line', async (fixture) => {
    const clients = await fixture.clients(3);
    const held = await clients[0]?.coordinator.lock('a').acquire();
    const served: number[] = [];
    const waiting: Promise<void>[] = [];
    for (let index = 0; index < 12; index++) {
      const wanted = clients[index % 3]?.coordinator.lock('a').acquire();
      if (wanted === undefined) throw new Error('three clients were asked for');
      waiting.push(
        wanted.then(async (grant) => {
          served.push(index);
          await grant.release();
        }),
      );
      await fixture.lineOf('lock/a', index + 2);
    }
    await held?.release();
    await Promise.all(waiting);
    expect(served).toEqual(Array.from({ length: 12 }, (_, index) => index));
    expect(await fixture.entries('lock/a')).toEqual([]);
  });

  scenario('LOCK-04', 'keeps names apart, whatever characters they have', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    for (const name of odd) await one.coordinator.lock(name).acquire({ timeoutMs: 10_000 });
    for (const name of odd) expect(await other.coordinator.lock(name).tryAcquire()).toBeUndefined();
    const lines = new Set((await fixture.keys()).filter((key) => /^lock\/[^/]+\/./.test(key)));
    expect(lines.size).toBe(odd.length);
  });

  scenario('LOCK-05', 'loses no increment among contenders who read, wait and write', async (fixture) => {
    const clients = await fixture.clients(3);
    const exclusion = new Exclusion();
    const gate = new fencing.TokenGate();
    let count = 0;
    await Promise.all(
      [...clients, ...clients].map(async ({ coordinator }) => {
        for (let round = 0; round < 8; round++) {
          await coordinator.lock('a').with(async (grant) => {
            exclusion.granted(grant);
            const read = count;
            await coordinator.ready();
            expect(gate.accept('count', grant.token)).toBe(true);
            count = read + 1;
          });
        }
      }),
    );
    expect(count).toBe(48);
    expect(exclusion.violations).toEqual([]);
  });

  scenario(
    'LOCK-06',
    'answers undefined to a try at a line with somebody in it, and leaves nothing',
    async (fixture) => {
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const held = await one.coordinator.lock('a').acquire();
      const line = await fixture.entries('lock/a');
      expect(await other.coordinator.lock('a').tryAcquire()).toBeUndefined();
      expect(await one.coordinator.lock('a').tryAcquire()).toBeUndefined();
      expect(await fixture.entries('lock/a')).toEqual(line);
      await held.release();
      // spring-integration#1913: a zero-wait try never succeeded.
      const grant = await other.coordinator.lock('a').tryAcquire();
      expect(grant?.token).toBeGreaterThan(held.token);
      expect(grant !== undefined && isHeld(grant)).toBe(true);
    },
  );

  scenario('LOCK-07', 'lets at most one of many tries in, and leaves one entry', async (fixture) => {
    const clients = await fixture.clients(3);
    for (let round = 0; round < 5; round++) {
      const tries = await Promise.all(clients.map(({ coordinator }) => coordinator.lock('a').tryAcquire()));
      const granted = tries.filter((grant) => grant !== undefined);
      expect(granted.length).toBeLessThanOrEqual(1);
      expect(await fixture.entries('lock/a')).toHaveLength(granted.length);
      await granted[0]?.release();
    }
  });

  scenario(
    'LOCK-08',
    'answers UNAVAILABLE to a try when the store does not answer, within the request limit',
    async (fixture) => {
      const [cut, silent] = (await fixture.clients(2)) as [Client, Client];
      cut.link.cut();
      silent.link.blackhole();
      await Promise.all(
        [cut, silent].map(async ({ coordinator }) => {
          const from = performance.now();
          await expect(coordinator.lock('a').tryAcquire()).rejects.toMatchObject({
            code: 'UNAVAILABLE',
            retryable: true,
          });
          expect(performance.now() - from).toBeLessThan(fixture.requestMs + 1_000);
          await expect(coordinator.lock('a').tryAcquire({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'TIMEOUT' });
        }),
      );
    },
  );

  scenario('LOCK-09', 'runs work while holding, passes on what it returns or throws, and releases', async (fixture) => {
    const { coordinator } = await fixture.client();
    const wanted = coordinator.lock('a');
    const kept: Grant[] = [];
    const answer = await wanted.with((grant) => {
      kept.push(grant);
      grant.assertHeld();
      return 42;
    });
    expect(answer).toBe(42);
    const failure = new Error('on purpose');
    const failing = wanted.with((grant) => {
      kept.push(grant);
      throw failure;
    });
    await expect(failing).rejects.toBe(failure);
    await expect(wanted.with(() => Promise.reject(failure))).rejects.toBe(failure);
    expect(await fixture.entries('lock/a')).toEqual([]);
    expect(kept.map(isHeld)).toEqual([false, false]);
  });

  // vitess#11811: the lock lived only as long as the call that got it.
  scenario('LOCK-10', 'applies signal and timeout to the waiting only', async (fixture) => {
    const { coordinator } = await fixture.client();
    const caller = new AbortController();
    const options = { signal: caller.signal, timeoutMs: 2_000 };
    const grant = await coordinator.lock('a').acquire(options);
    const working = coordinator.lock('b').with(async (own) => {
      caller.abort();
      await throughout(2_200, () => own.assertHeld());
      return 'done';
    }, options);
    expect(await working).toBe('done');
    expect(isHeld(grant)).toBe(true);
  });

  // OpenStack Launchpad 2162085: "no limit" became one second.
  scenario('LOCK-15', 'waits without a limit when none is given', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const held = await one.coordinator.lock('a').acquire();
    const waiting = outcome(other.coordinator.lock('a').acquire());
    await fixture.lineOf('lock/a', 2);
    let ended = false;
    void waiting.then(() => (ended = true));
    await throughout(1.5 * fixture.timeoutMs, () => expect(ended).toBe(false));
    await held.release();
    expect((await waiting).rejected).toBe(false);
    expect(other.states.last?.epoch).toBe(1);
  });

  scenario(
    'LOCK-16',
    'grants with rising tokens over release, expiry, deletion by hand and an empty line',
    async (fixture) => {
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const exclusion = new Exclusion();
      const take = async (wanted: Lock): Promise<Grant> => {
        const grant = await wanted.acquire({ timeoutMs: 20_000 });
        exclusion.granted(grant);
        return grant;
      };
      await (await take(one.coordinator.lock('a'))).release();
      const second = await take(other.coordinator.lock('a'));
      await fixture.expire(other);
      await eventually(() => expect(isHeld(second)).toBe(false));
      const third = await take(one.coordinator.lock('a'));
      const [entry = ''] = await fixture.entries('lock/a');
      await fixture.world.operator.deleteEntry(fixture.namespace, 'lock/a', entry);
      await eventually(() => expect(isHeld(third)).toBe(false));
      await (await take(other.coordinator.lock('a'))).release();
      await take(one.coordinator.lock('a'));
      expect(exclusion.violations).toEqual([]);
      expect(exclusion.tokens).toHaveLength(5);
    },
  );

  scenario('LOCK-18', 'grants with rising tokens over the removal of an empty directory', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const exclusion = new Exclusion();
    for (const { coordinator } of [one, other, one]) {
      const grant = await coordinator.lock('a').acquire({ timeoutMs: 10_000 });
      exclusion.granted(grant);
      await exclusion.release(grant);
      await fixture.world.operator.deleteEntry(fixture.namespace, 'lock', 'a');
    }
    expect(exclusion.violations).toEqual([]);
    expect(exclusion.tokens).toHaveLength(3);
  });

  // Go's etcd mutex took 67 ms for a hand-over beside a writer: its watch began in the past.
  scenario('LOCK-19', 'hands over beside a client that writes all the time', async (fixture) => {
    const clients = (await fixture.clients(2)) as [Client, Client];
    const exclusion = new Exclusion();
    const stop = await fixture.world.operator.writeSteadily();
    fixture.finally(stop);
    await Promise.all(
      clients.map(async ({ coordinator }) => {
        for (let round = 0; round < 10; round++) {
          const grant = await coordinator.lock('a').acquire({ timeoutMs: 20_000 });
          exclusion.granted(grant);
          await exclusion.release(grant);
        }
      }),
    );
    expect(exclusion.violations).toEqual([]);
    expect(exclusion.tokens).toHaveLength(20);
  });

  scenario('LOCK-17', 'shows who it is by host and process unless told otherwise', async (fixture) => {
    const { coordinator } = await fixture.client();
    await coordinator.lock('a').acquire();
    await coordinator.lock('b').acquire({ data: 'worker 7' });
    await coordinator.lock('c').acquire({ data: Uint8Array.of(1, 2) });
    const store = await fixture.store();
    const data = await Promise.all(['a', 'b', 'c'].map((name) => store.first(`lock/${name}`)));
    const [byDefault, text, bytes] = data.map((child) => child?.register?.value);
    expect(new TextDecoder().decode(byDefault)).toMatch(new RegExp(`^.+:${String(process.pid)}$`));
    expect(new TextDecoder().decode(text)).toBe('worker 7');
    expect([...(bytes ?? [])]).toEqual([1, 2]);
  });

  scenario('LOCK-28', 'keeps namespaces apart, also those whose names begin alike', async (fixture) => {
    const held = await fixture.client();
    await held.coordinator.lock('a').acquire();
    for (const namespace of [`${fixture.namespace}x`, `${fixture.namespace}/below`]) {
      const { coordinator } = await fixture.client({ namespace });
      const grant = await coordinator.lock('a').tryAcquire();
      expect(grant !== undefined && isHeld(grant)).toBe(true);
      await coordinator.close();
    }
    expect(await fixture.entries('lock/a')).toHaveLength(1);
  });
});
