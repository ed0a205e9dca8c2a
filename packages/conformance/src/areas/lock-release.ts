import { inspect } from 'node:util';
import { expect } from 'vitest';
import { outcome, throughout } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { area } from '../scenario.js';

/** Giving a lock back: docs/spec/lock.md. */
export const lockRelease = area('lock release', (scenario) => {
  scenario(
    'LOCK-11',
    'gives back at once, tells by the signal, and resolves when the entry is gone',
    async (fixture) => {
      const { coordinator } = await fixture.client();
      const grant = await coordinator.lock('a').acquire();
      const { signal } = grant;
      const released = grant.release();
      expect(isHeld(grant)).toBe(false);
      expect(signal.reason).toMatchObject({ code: 'NOT_HELD' });
      expect(() => grant.assertHeld()).toThrow(expect.objectContaining({ code: 'NOT_HELD' }));
      await released;
      expect(await fixture.entries('lock/a')).toEqual([]);
      expect(grant.token).toBeGreaterThan(0n);
    },
  );

  // Vitess and pulsar disagree on a second release; here it is harmless.
  scenario('LOCK-12', 'releases once however often it is asked, and never another’s entry', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const grant = await one.coordinator.lock('a').acquire();
    await Promise.all([grant.release(), grant.release()]);
    const next = await other.coordinator.lock('a').acquire();
    await grant.release();
    await grant[Symbol.asyncDispose]();
    expect(isHeld(next)).toBe(true);
    expect(await fixture.entries('lock/a')).toHaveLength(1);
  });

  scenario('LOCK-13', 'keeps on releasing over an outage until the entry is gone', async (fixture) => {
    const { coordinator, link, states } = await fixture.client();
    const grant = await coordinator.lock('a').acquire();
    link.cut();
    let released = false;
    const releasing = grant.release().then(() => {
      released = true;
    });
    await throughout(fixture.timeoutMs / 8, () => expect(released).toBe(false));
    link.heal();
    await releasing;
    expect(states.last?.epoch).toBe(1);
    expect(await fixture.entries('lock/a')).toEqual([]);
  });

  scenario('LOCK-29', 'shows itself by primitive, name and fence', async (fixture) => {
    const { coordinator } = await fixture.client();
    const grant = await coordinator.lock('a').acquire();
    expect(JSON.parse(JSON.stringify(grant))).toEqual({ primitive: 'lock', name: 'a', fence: grant.fence });
    expect(inspect(grant)).toContain(grant.fence);
  });

  scenario('LOCK-14', 'is given back by await using', async (fixture) => {
    const { coordinator } = await fixture.client();
    const grant = await coordinator.lock('a').acquire();
    await grant[Symbol.asyncDispose]();
    expect(isHeld(grant)).toBe(false);
    expect(await fixture.entries('lock/a')).toEqual([]);
  });

  // curator#1193: the local state was forgotten on a connection loss, and the own entry blocked everybody.
  scenario('LOCK-27', 'has released when the reply to that was lost', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const grant = await one.coordinator.lock('a').acquire();
    one.link.swallowReplies();
    const released = outcome(grant.release());
    const next = await other.coordinator.lock('a').acquire({ timeoutMs: 10_000 });
    one.link.heal();
    expect((await released).rejected).toBe(false);
    expect(one.states.last?.epoch).toBe(1);
    expect(isHeld(next)).toBe(true);
    expect(await fixture.entries('lock/a')).toHaveLength(1);
  });
});
