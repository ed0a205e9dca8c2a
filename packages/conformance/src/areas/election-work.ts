import type { Grant } from '@concordat/core';
import { expect } from 'vitest';
import { Candidate } from '../campaigns.js';
import { eventually, outcome, throughout } from '../eventually.js';
import { Exclusion, isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { area } from '../scenario.js';

/** Work of leaders: docs/spec/election.md. */
export const electionWork = area('election work', (scenario) => {
  scenario('ELECT-20', 'works while leading, and takes turns with others', async (fixture) => {
    const clients = await fixture.clients(3);
    const exclusion = new Exclusion();
    const stop = new AbortController();
    const turns: number[] = [];
    const leading = clients.map(({ coordinator }, index) =>
      outcome(
        coordinator.election('a').lead(
          async (grant) => {
            exclusion.granted(grant);
            turns.push(index);
            if (turns.length === 9) stop.abort('enough');
            else await fixture.lineOf('election/a', 3);
            grant.assertHeld();
          },
          { signal: stop.signal },
        ),
      ),
    );
    for (const led of leading) expect((await led).reason).toBe('enough');
    expect(exclusion.violations).toEqual([]);
    const [first = 0, second = 0, third = 0] = turns;
    expect(new Set([first, second, third]).size).toBe(3);
    expect(turns).toEqual([first, second, third, first, second, third, first, second, third]);
    await fixture.lineOf('election/a', 0);
  });

  scenario('ELECT-21', 'ends by its signal: at once while waiting, after the work while leading', async (fixture) => {
    const { coordinator } = await fixture.client();
    const own = coordinator.election('a');
    const caller = new AbortController();
    const finish = new AbortController();
    const grants: Grant[] = [];
    const leading = outcome(
      own.lead(
        async (grant) => {
          grants.push(grant);
          await eventually(() => expect(finish.signal.aborted).toBe(true));
        },
        { signal: caller.signal },
      ),
    );
    await eventually(() => expect(grants).toHaveLength(1));
    const waiting = outcome(own.lead(() => 'never', { signal: caller.signal }));
    await fixture.lineOf('election/a', 2);
    const from = performance.now();
    caller.abort('enough');
    expect((await waiting).reason).toBe('enough');
    expect((await waiting).at - from).toBeLessThan(500);
    let ended = false;
    void leading.then(() => (ended = true));
    await throughout(100, () => expect([ended, grants.map(isHeld)]).toEqual([false, [true]]));
    expect(await fixture.entries('election/a')).toHaveLength(1);
    finish.abort();
    expect((await leading).reason).toBe('enough');
    expect(await fixture.entries('election/a')).toEqual([]);
    expect((await outcome(own.lead(() => 1, { signal: caller.signal }))).reason).toBe('enough');
  });

  scenario('ELECT-22', 'leaves and rejects when the work throws', async (fixture) => {
    const { coordinator } = await fixture.client();
    const failure = new Error('on purpose');
    const own = coordinator.election('a');
    const failing = [
      () => Promise.reject(failure),
      () => {
        throw failure;
      },
    ];
    for (const work of failing) {
      await expect(own.lead(work)).rejects.toBe(failure);
      expect(await fixture.entries('election/a')).toEqual([]);
    }
    const caller = new AbortController();
    const stopped = own.lead(
      () => {
        caller.abort('enough');
        throw failure;
      },
      { signal: caller.signal },
    );
    expect((await outcome(stopped)).reason).toBe('enough');
  });

  // spring-integration PR2098: a leader was not revoked; vitess#20340: work that was not told.
  scenario('ELECT-23', 'tells work of a loss, waits for it, and stands again whatever it did', async (fixture) => {
    const { coordinator, states } = await fixture.client();
    const terms: Grant[] = [];
    const steps: string[] = [];
    const stop = new AbortController();
    const leading = outcome(
      coordinator.election('a').lead(
        async (grant) => {
          terms.push(grant);
          const term = String(terms.length);
          steps.push(`begin ${term}`);
          await eventually(() => expect(grant.signal.aborted || stop.signal.aborted).toBe(true));
          await throughout(50, () => undefined);
          steps.push(`end ${term}`);
          if (term === '1') throw new Error('on purpose');
        },
        { signal: stop.signal },
      ),
    );
    for (const count of [1, 2]) {
      await eventually(() => expect(terms).toHaveLength(count));
      await states.settles(({ state }) => state === 'connected');
      await fixture.expire({ states });
    }
    await eventually(() => expect(terms).toHaveLength(3));
    stop.abort('enough');
    expect((await leading).reason).toBe('enough');
    expect(steps).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
    const [first, second] = terms.map(({ signal }) => signal.reason as unknown);
    for (const reason of [first, second]) expect(reason).toMatchObject({ code: 'GRANT_LOST' });
    const tokens = terms.map(({ token }) => token);
    expect(tokens).toEqual([...tokens].sort((a, b) => (a < b ? -1 : 1)));
  });

  scenario(
    'ELECT-24',
    'passes on what the work of its one term answered, unless the office was lost',
    async (fixture) => {
      const { coordinator, states } = await fixture.client();
      const own = coordinator.election('a');
      expect(await own.lead(() => 42, { requeue: false })).toBe(42);
      const caller = new AbortController();
      const { signal } = caller;
      const answered = own.lead(
        () => {
          caller.abort();
          return 'done';
        },
        { requeue: false, signal },
      );
      expect(await answered).toBe('done');
      let settled = false;
      const lost = own.lead(
        async (grant) => {
          await fixture.expire({ states });
          await eventually(() => expect(grant.signal.aborted).toBe(true));
          settled = true;
          return 'never';
        },
        { requeue: false },
      );
      await expect(lost).rejects.toMatchObject({ code: 'GRANT_LOST' });
      expect(settled).toBe(true);
    },
  );

  scenario('ELECT-25', 'limits its waits, and no work', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const leader = Candidate.of(one.coordinator.election('a'));
    await leader.leads();
    const waiting = outcome(other.coordinator.election('a').lead(() => 'never', { timeoutMs: 200 }));
    expect((await waiting).reason).toMatchObject({ code: 'TIMEOUT' });
    await fixture.lineOf('election/a', 1);
    other.link.blackhole();
    const silent = outcome(other.coordinator.election('b').lead(() => 'never', { timeoutMs: 200 }));
    expect((await silent).reason).toMatchObject({ code: 'TIMEOUT' });
    other.link.heal();
    leader.stop();
    const work = one.coordinator.election('c').lead(
      async (grant) => {
        await throughout(1_700, () => grant.assertHeld());
        return 'done';
      },
      { timeoutMs: 1_500, requeue: false },
    );
    expect(await work).toBe('done');
  });
});
