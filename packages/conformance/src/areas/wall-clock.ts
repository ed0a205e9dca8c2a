import { expect } from 'vitest';
import { outcome, throughout } from '../eventually.js';
import { Exclusion, isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';
import { WrongClock } from '../wrong-clock.js';

const hourMs = 3_600_000;
const skews = [3, -5, 700, -700, 0.01].map((hours) => hours * hourMs);

/** A wall clock that jumps: docs/spec/session.md. */
export const wallClock = area('wall clock', (scenario) => {
  // grafana/dskit#207, grafana/loki#21733: members by the time of their clocks. etcd#12291: leases by the wall clock.
  scenario.alone(
    'SESS-14',
    'loses nothing and grants nothing twice when the wall clock jumps by hours',
    async (fixture) => {
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const held = await one.coordinator.lock('held').acquire();
      const membership = await one.coordinator.group('g').join('a', 1);
      const members = new Recorder(other.coordinator.group('g').members$);
      await members.settles(({ members: shown }) => shown.length === 1);
      const exclusion = new Exclusion();
      let worked = 0;
      const clock = new WrongClock();
      fixture.finally(() => clock.setRight());
      for (const skewMs of skews) {
        const taken = await one.coordinator.lock('a').acquire();
        exclusion.granted(taken);
        const waiting = other.coordinator.lock('a').acquire();
        const limited = outcome(other.coordinator.lock('held').acquire({ timeoutMs: 100 }));
        await fixture.lineOf('lock/a', 2);
        const askedAt = performance.now();
        clock.jump(skewMs);
        await throughout(25, () => expect([isHeld(held), isHeld(taken)]).toEqual([true, true]));
        await exclusion.release(taken);
        const next = await waiting;
        exclusion.granted(next);
        await Promise.all(
          [one, other].map(({ coordinator }) => coordinator.idempotency('gate').run('a', () => ++worked)),
        );
        await other.coordinator.config('count').update((count) => Number(count ?? 0) + 1);
        expect((await limited).reason).toMatchObject({ code: 'TIMEOUT' });
        expect((await limited).at - askedAt).toBeLessThan(1_500);
        await exclusion.release(next);
      }
      clock.setRight();
      expect(exclusion.violations).toEqual([]);
      expect(worked).toBe(1);
      expect((await one.coordinator.config('count').get())?.value).toBe(skews.length);
      expect([isHeld(held), membership.signal.aborted]).toEqual([true, false]);
      for (const { members: shown } of members.values.slice(1)) expect(shown.map(({ id }) => id)).toEqual(['a']);
      for (const { states } of [one, other]) expect(states.values.map(({ state }) => state)).not.toContain('lost');
    },
  );
});
