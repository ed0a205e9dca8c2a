import type { Grant } from '@concordat/core';
import { json } from '@concordat/core';
import { expect } from 'vitest';
import { Candidate } from '../campaigns.js';
import { eventually, throughout } from '../eventually.js';
import { Exclusion, isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { area } from '../scenario.js';

/** Campaigns while nothing is broken: docs/spec/election.md. */
export const election = area('election', (scenario) => {
  scenario('ELECT-01', 'is a candidate for each subscription, waiting at once and then leading', async (fixture) => {
    const { coordinator } = await fixture.client();
    const campaign = coordinator.election('a').campaign();
    await throughout(50, async () => expect(await fixture.entries('election/a')).toEqual([]));
    const first = new Candidate(campaign);
    expect(first.said).toEqual(['waiting']);
    const grant = await first.leads();
    expect(isHeld(grant)).toBe(true);
    expect(await fixture.entries('election/a')).toHaveLength(1);
    const second = new Candidate(campaign);
    await fixture.lineOf('election/a', 2);
    await throughout(fixture.timeoutMs / 8, () =>
      expect([first.said, second.said]).toEqual([['waiting', 'leading'], ['waiting']]),
    );
    expect([first.ended, second.ended]).toEqual([false, false]);
    first.stop();
    second.stop();
  });

  // pulsar#11690: two contenders both failed; spring-integration#9398: two leaders.
  scenario('ELECT-02', 'elects one at a time, in the order of arrival, with rising tokens', async (fixture) => {
    const clients = await fixture.clients(3);
    const exclusion = new Exclusion();
    const grants: Grant[] = [];
    const order: number[] = [];
    for (let index = 0; index < 9; index++) {
      const campaign = clients[index % 3]?.coordinator.election('a').campaign({ requeue: false });
      campaign?.subscribe((at) => {
        if (at.state !== 'leading') return;
        exclusion.granted(at.grant);
        grants.push(at.grant);
        order.push(index);
      });
      await fixture.lineOf('election/a', index + 1);
    }
    for (let count = 1; count <= 9; count++) {
      await eventually(() => expect(order).toHaveLength(count));
      await throughout(20, () => expect(order).toHaveLength(count));
      for (const grant of grants.slice(-1)) await exclusion.release(grant);
    }
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(exclusion.violations).toEqual([]);
    await fixture.lineOf('election/a', 0);
  });

  // Vitess: stopping the leader makes the next candidate leader; a stopped candidate is not elected.
  scenario('ELECT-03', 'leaves the line or hands over when unsubscribed', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const leader = Candidate.of(one.coordinator.election('a'));
    const grant = await leader.leads();
    const waiting = Candidate.of(one.coordinator.election('a'));
    await fixture.lineOf('election/a', 2);
    const next = Candidate.of(other.coordinator.election('a'));
    await fixture.lineOf('election/a', 3);
    waiting.stop();
    await fixture.lineOf('election/a', 2);
    expect(isHeld(grant)).toBe(true);
    leader.stop();
    const successor = await next.leads();
    expect(isHeld(grant)).toBe(false);
    expect(successor.token).toBeGreaterThan(grant.token);
    expect([leader.said, waiting.said]).toEqual([['waiting', 'leading'], ['waiting']]);
    expect([leader.ended, waiting.ended]).toEqual([false, false]);
    const early = Candidate.of(one.coordinator.election('b'));
    early.stop();
    next.stop();
    await fixture.lineOf('election/a', 0);
    expect(await fixture.entries('election/b')).toEqual([]);
  });

  scenario('ELECT-04', 'goes to the end of the line when the leader releases', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const first = Candidate.of(one.coordinator.election('a'));
    const grant = await first.leads();
    const second = Candidate.of(other.coordinator.election('a'));
    await fixture.lineOf('election/a', 2);
    const released = grant.release();
    expect(first.said).toEqual(['waiting', 'leading', 'lost']);
    expect(await first.lost()).toMatchObject({ code: 'NOT_HELD' });
    await released;
    const next = await second.leads();
    await fixture.lineOf('election/a', 2);
    expect(first.said).toEqual(['waiting', 'leading', 'lost', 'waiting']);
    await next.release();
    expect((await first.leads()).token).toBeGreaterThan(next.token);
    first.stop();
    second.stop();
  });

  scenario('ELECT-05', 'completes after one term when it is not to stand again', async (fixture) => {
    const { coordinator } = await fixture.client();
    const once = Candidate.of(coordinator.election('a'), { requeue: false });
    await (await once.leads()).release();
    await once.end();
    expect(once.said).toEqual(['waiting', 'leading', 'lost']);
    expect(once.completed).toBe(true);
    await throughout(100, async () => expect(await fixture.entries('election/a')).toEqual([]));
  });

  // etcd#21128 and PR#22124: a campaign that failed left its key.
  scenario(
    'ELECT-06',
    'fails when its limits end the waiting, leaves nothing, and never ends a term',
    async (fixture) => {
      const { coordinator, link } = await fixture.client();
      const { requests } = link.wire;
      const never = Candidate.of(coordinator.election('a'), { signal: AbortSignal.abort('before') });
      await never.end();
      expect([never.reason, never.values]).toEqual(['before', []]);
      expect(link.wire.requests).toBe(requests);
      const caller = new AbortController();
      const leader = Candidate.of(coordinator.election('a'), { signal: caller.signal, timeoutMs: 5_000 });
      const grant = await leader.leads();
      const aborted = Candidate.of(coordinator.election('a'), { signal: caller.signal });
      const timed = Candidate.of(coordinator.election('a'), { timeoutMs: 150 });
      await timed.end();
      expect(timed.reason).toMatchObject({ code: 'TIMEOUT' });
      expect(String(timed.reason)).toContain('election "a"');
      const reason = { mine: true };
      caller.abort(reason);
      await aborted.end();
      expect(aborted.reason).toBe(reason);
      await fixture.lineOf('election/a', 1);
      await throughout(100, () => expect(isHeld(grant)).toBe(true));
      await grant.release();
      await leader.end();
      expect([leader.said, leader.reason]).toEqual([['waiting', 'leading', 'lost'], reason]);
      await fixture.lineOf('election/a', 0);
    },
  );

  scenario('ELECT-07', 'says of itself what it was given, or host and process', async (fixture) => {
    const { coordinator } = await fixture.client();
    const shown = async (name: string): Promise<string> =>
      new TextDecoder().decode((await (await fixture.store()).first(`election/${name}`))?.register?.value);
    await Candidate.of(coordinator.election('a')).leads();
    await Candidate.of(coordinator.election('b'), { value: 'worker 7' }).leads();
    await Candidate.of(coordinator.election('c', json), { value: { zone: 1 } }).leads();
    expect(await shown('a')).toMatch(new RegExp(`^.+:${String(process.pid)}$`));
    expect([await shown('b'), await shown('c')]).toEqual(['worker 7', '{"zone":1}']);
    const { requests } = coordinator.traffic;
    const misspelt: object = { timeoutMS: 5 };
    const refused = [
      Candidate.of(coordinator.election('d', json)),
      Candidate.of(coordinator.election('d'), { value: '' }),
      Candidate.of(coordinator.election('d'), misspelt),
      Candidate.of(coordinator.election('d'), { timeoutMs: -1 }),
    ];
    for (const { reason, values } of refused) {
      expect(reason).toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect(values).toEqual([]);
    }
    const large = Candidate.of(coordinator.election('d'), { value: 'x'.repeat(1_000_001) });
    expect(large.reason).toMatchObject({ code: 'TOO_LARGE' });
    await expect(coordinator.election('d', json).lead(() => 'never')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(coordinator.traffic.requests).toBe(requests);
  });

  scenario('ELECT-08', 'keeps names apart, also from a lock of the same name', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const names = ['a', 'a/b', '.', '錠'];
    const leaders = names.map((name) => Candidate.of(one.coordinator.election(name)));
    for (const leader of leaders) await leader.leads();
    const held = await one.coordinator.lock('a').acquire({ timeoutMs: 10_000 });
    const second = Candidate.of(other.coordinator.election('a'));
    await fixture.lineOf('election/a', 2);
    await held.release();
    expect(second.said).toEqual(['waiting']);
    expect(() => one.coordinator.election('')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    leaders[0]?.stop();
    await second.leads();
    for (const leader of leaders.slice(1)) expect(isHeld(await leader.leads())).toBe(true);
  });
});
