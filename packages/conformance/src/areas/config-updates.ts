import { type Codec, json } from '@concordat/core';
import { expect } from 'vitest';
import { codeOf, eventually, outcome, throughout, within } from '../eventually.js';
import type { Client } from '../fixture.js';
import type { Define } from '../scenario.js';

const count = json as Codec<number>;

/** The compare-and-set loop: docs/spec/config.md. */
export function configUpdates(scenario: Define): void {
  // Lost increments: tooz and syncguard, peers.md (b) 3.
  scenario('CONF-20', 'loses no update among many', async (fixture) => {
    const clients = await fixture.clients(3);
    const increments = 8;
    const versions = await Promise.all(
      clients.flatMap(({ coordinator }) =>
        Array.from({ length: 2 }, async () => {
          const seen: bigint[] = [];
          for (let done = 0; done < increments; done++) {
            const updated = await coordinator.config('count', count).update((current) => (current ?? 0) + 1);
            seen.push(updated.version);
          }
          return seen;
        }),
      ),
    );
    const all = versions.flat();
    expect((await clients[0]?.coordinator.config('count').get())?.value).toBe(all.length);
    expect(new Set(all).size).toBe(6 * increments);
  });

  // curator#918 and etcd#19597: what waited died with its session.
  scenario('CONF-17', 'goes on in the next session, and loses no update by that', async (fixture) => {
    const { coordinator, states } = await fixture.client();
    const value = coordinator.config('count', count);
    await value.set(0);
    const tally = { made: 0, unknown: 0 };
    let expiring = true;
    const updating = async (): Promise<void> => {
      while (expiring) {
        const { value: updated, reason } = await outcome(value.update((current) => (current ?? 0) + 1));
        if (updated !== undefined) tally.made++;
        else if (codeOf(reason) === 'OUTCOME_UNKNOWN') tally.unknown++;
        else expect(reason).toMatchObject({ code: 'UNAVAILABLE' });
      }
    };
    const reading = async (): Promise<void> => {
      while (expiring) {
        const { value: read, reason } = await outcome(value.get());
        if (read === undefined) expect(reason).toMatchObject({ code: 'UNAVAILABLE' });
      }
    };
    const working = Promise.all([updating(), reading()]);
    for (const epoch of [1, 2]) {
      await fixture.expire({ states });
      await states.settles((state) => state.state === 'connected' && state.epoch === epoch + 1);
    }
    expiring = false;
    await working;
    const { value: last = 0 } = (await value.get()) ?? {};
    expect(last).toBeGreaterThanOrEqual(tally.made);
    expect(last).toBeLessThanOrEqual(tally.made + tally.unknown);
  });

  scenario('CONF-21', 'gives the current value to the change, and answers what it made', async (fixture) => {
    const { coordinator } = await fixture.client();
    const value = coordinator.config('a', count);
    const given: (number | undefined)[] = [];
    const change = async (current: number | undefined): Promise<number> => {
      given.push(current);
      await throughout(20, () => undefined);
      return (current ?? 0) + 5;
    };
    for (const expected of [5, 10]) {
      const updated = await value.update(change);
      expect(updated.value).toBe(expected);
      expect(await value.get()).toEqual(updated);
    }
    expect(given).toEqual([undefined, 5]);
  });

  scenario('CONF-22', 'calls the change again with the newer value when somebody else was first', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const theirs = other.coordinator.config('a', count);
    const madeAgain = async (): Promise<void> => {
      await theirs.delete();
      await theirs.set(9);
    };
    const interferences = [() => theirs.set(7), () => theirs.delete(), () => theirs.set(9), madeAgain];
    const given: (number | undefined)[] = [];
    const updated = await one.coordinator.config('a', count).update(async (current) => {
      given.push(current);
      await interferences.shift()?.();
      return (current ?? 0) + 1;
    });
    expect(given).toEqual([undefined, 7, undefined, 9, 9]);
    expect(updated.value).toBe(10);
    expect(await theirs.get()).toEqual(updated);
  });

  scenario('CONF-23', 'rejects with what the change throws, and writes nothing', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const value = coordinator.config('a', count);
    const version = await value.set(1);
    const { writes } = link.wire;
    const failure = new Error('mine');
    const thrower = (): number => {
      throw failure;
    };
    for (const change of [thrower, () => Promise.reject(failure)])
      expect((await outcome(value.update(change))).reason).toBe(failure);
    const unsayable = outcome(value.update(() => undefined as unknown as number));
    expect((await unsayable).reason).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await value.get()).toEqual({ value: 1, version });
    // A linearizable read may cost a write of the session's own.
    expect(link.wire.writes - writes).toBeLessThanOrEqual(4);
  });

  scenario('CONF-24', 'stops when the outcome of its write is unknown', async (fixture) => {
    const { coordinator, link, states } = await fixture.client();
    const value = coordinator.config('a', count);
    await value.set(1);
    let calls = 0;
    const updating = outcome(
      value.update((current) => {
        calls++;
        link.swallowReplies();
        return (current ?? 0) + 1;
      }),
    );
    const { reason } = await within(2 * fixture.timeoutMs, 'the end of the update', updating);
    expect(reason).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    link.heal();
    await states.settles(({ state }) => state === 'connected');
    await throughout(200, async () => expect((await value.get())?.value).toBe(2));
    expect(calls).toBe(1);
  });

  scenario(
    'CONF-25',
    'ends with the caller’s limits while the change runs, and writes nothing after',
    async (fixture) => {
      const { coordinator } = await fixture.client();
      const value = coordinator.config('a', count);
      const version = await value.set(1);
      let finish: (made: number) => void = () => undefined;
      let calls = 0;
      const slow = (): Promise<number> => {
        calls++;
        return new Promise((resolve) => {
          finish = resolve;
        });
      };
      const caller = new AbortController();
      const aborted = outcome(value.update(slow, caller));
      await eventually(() => expect(calls).toBe(1));
      caller.abort('mine');
      expect((await within(1_000, 'the end of the update', aborted)).reason).toBe('mine');
      finish(2);
      const timed = outcome(value.update(slow, { timeoutMs: 300 }));
      await eventually(() => expect(calls).toBe(2));
      expect((await within(1_500, 'the end of the update', timed)).reason).toMatchObject({ code: 'TIMEOUT' });
      finish(3);
      await throughout(100, async () => expect(await value.get()).toEqual({ value: 1, version }));
    },
  );
}
