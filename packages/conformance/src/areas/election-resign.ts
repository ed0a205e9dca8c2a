import type { Grant } from '@concordat/core';
import { expect } from 'vitest';
import { Candidate, threeCandidates } from '../campaigns.js';
import { eventually, outcome, throughout } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';

/** Stepping down: docs/spec/election.md. */
export const electionResign = area('election resign', (scenario) => {
  scenario(
    'ELECT-30',
    'ends the leading and the waiting of its candidates, and lets the next one lead',
    async (fixture) => {
      const { own, grant, leader, waiting, next, line } = await threeCandidates(fixture);
      const resigned = own.resign();
      expect(isHeld(grant)).toBe(false);
      expect(await leader.lost()).toMatchObject({ code: 'NOT_HELD' });
      await resigned;
      const left = await fixture.entries('election/a');
      expect(left).toEqual(line.slice(2));
      await leader.end();
      await waiting.end();
      expect([leader.completed, waiting.completed]).toEqual([true, true]);
      expect([leader.said, waiting.said]).toEqual([['waiting', 'leading', 'lost'], ['waiting']]);
      await next.leads();
      await own.resign();
      expect(next.said).toEqual(['waiting', 'leading']);
      next.stop();
    },
  );

  // Vitess: a candidate that was stopped cannot be elected.
  scenario('ELECT-31', 'never elects who resigned, at whatever moment of its entering', async (fixture) => {
    const { coordinator } = await fixture.client();
    const own = coordinator.election('a');
    for (let turns = 0; turns < 24; turns++) {
      const candidate = Candidate.of(own);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      if (turns > 12) await throughout(turns % 4, () => undefined);
      const said = candidate.said.slice();
      const resigned = own.resign();
      const { length } = candidate.values;
      await resigned;
      expect(candidate.completed).toBe(true);
      expect(candidate.values).toHaveLength(length);
      expect(candidate.said).toEqual(said.includes('leading') ? ['waiting', 'leading', 'lost'] : ['waiting']);
      expect(await fixture.entries('election/a')).toEqual([]);
    }
  });

  scenario('ELECT-32', 'lets nobody lead before the work of who resigned has settled', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const own = one.coordinator.election('a');
    const finish = new AbortController();
    const grants: Grant[] = [];
    const leading = outcome(
      own.lead(async (grant) => {
        grants.push(grant);
        await eventually(() => expect(finish.signal.aborted).toBe(true));
        throw new Error('told to stop');
      }),
    );
    await eventually(() => expect(grants).toHaveLength(1));
    const next = Candidate.of(other.coordinator.election('a'));
    await fixture.lineOf('election/a', 2);
    let gone = false;
    const resigned = own.resign().then(() => (gone = true));
    expect(grants.map(isHeld)).toEqual([false]);
    expect(grants[0]?.signal.reason).toMatchObject({ code: 'NOT_HELD' });
    expect(new Recorder(own.isLeader$).values).toEqual([false]);
    await expect(own.resign({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    await throughout(100, () => expect([gone, next.said]).toEqual([false, ['waiting']]));
    finish.abort();
    expect(await leading).toMatchObject({ rejected: false, value: undefined });
    await resigned;
    await next.leads();
    expect(await fixture.entries('election/a')).toHaveLength(1);
    next.stop();
  });

  scenario('ELECT-33', 'leaves candidates of other objects, and lets others stand after', async (fixture) => {
    const { coordinator } = await fixture.client();
    const own = coordinator.election('a');
    const leader = Candidate.of(coordinator.election('a'));
    const grant = await leader.leads();
    const waiting = outcome(own.lead(() => 'never'));
    await fixture.lineOf('election/a', 2);
    const resigned = own.resign();
    const again = Candidate.of(own);
    await resigned;
    expect(await waiting).toMatchObject({ rejected: false, value: undefined });
    expect(isHeld(grant)).toBe(true);
    leader.stop();
    await again.leads();
    again.stop();
    expect((await outcome(own.resign({ signal: AbortSignal.abort('mine') }))).reason).toBe('mine');
  });

  // etcd#21128 and PR#22124: a resign that failed forgot its key.
  scenario('ELECT-34', 'goes on resigning over an outage until its entries are gone', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const own = one.coordinator.election('a');
    const leader = Candidate.of(own);
    await leader.leads();
    const waiting = Candidate.of(own);
    await fixture.lineOf('election/a', 2);
    one.link.cut();
    let gone = false;
    const resigned = own.resign().then(() => (gone = true));
    await expect(own.resign({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(await leader.lost()).toMatchObject({ code: 'NOT_HELD' });
    await throughout(fixture.timeoutMs / 8, () => expect(gone).toBe(false));
    one.link.heal();
    await resigned;
    expect(await fixture.entries('election/a')).toEqual([]);
    expect(one.states.last?.epoch).toBe(1);
    expect([leader.completed, waiting.completed]).toEqual([true, true]);
    await Candidate.of(other.coordinator.election('a')).leads();
  });
});
