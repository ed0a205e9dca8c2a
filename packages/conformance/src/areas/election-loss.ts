import { share } from 'rxjs';
import { expect } from 'vitest';
import { Candidate } from '../campaigns.js';
import { eventually, throughout } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { area } from '../scenario.js';

/** Leaders and candidates whose session or entry ends: docs/spec/election.md. */
export const electionLoss = area('election loss', (scenario) => {
  // spring-integration PR2098: the leader was not revoked. patroni#774: an entry of the own earlier session blocked it.
  scenario(
    'ELECT-40',
    'tells a leader that its session is over, and elects it again behind the next',
    async (fixture) => {
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const first = Candidate.of(one.coordinator.election('a'));
      const grant = await first.leads();
      const once = Candidate.of(one.coordinator.election('b'), { requeue: false });
      await once.leads();
      const second = Candidate.of(other.coordinator.election('a'));
      await fixture.lineOf('election/a', 2);
      await fixture.expire(one);
      expect(await first.lost()).toMatchObject({ code: 'GRANT_LOST' });
      const next = await second.leads();
      expect(next.token).toBeGreaterThan(grant.token);
      await fixture.lineOf('election/a', 2);
      expect(first.said).toEqual(['waiting', 'leading', 'lost', 'waiting']);
      second.stop();
      expect((await first.leads()).token).toBeGreaterThan(next.token);
      await once.end();
      expect([once.said, once.completed]).toEqual([['waiting', 'leading', 'lost'], true]);
      expect(await fixture.entries('election/b')).toEqual([]);
      first.stop();
    },
  );

  scenario('ELECT-41', 'tells a leader that its entry was deleted by hand, and puts it behind', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const first = Candidate.of(one.coordinator.election('a'));
    await first.leads();
    const second = Candidate.of(other.coordinator.election('a'));
    const [entry = ''] = await fixture.lineOf('election/a', 2);
    await fixture.world.operator.deleteEntry(fixture.namespace, 'election/a', entry);
    expect(await first.lost(5_000)).toMatchObject({ code: 'GRANT_LOST', cause: { code: 'NOT_FOUND' } });
    const next = await second.leads();
    const line = await fixture.lineOf('election/a', 2);
    expect(line).not.toContain(entry);
    expect([isHeld(next), first.said]).toEqual([true, ['waiting', 'leading', 'lost', 'waiting']]);
    expect(one.states.last).toMatchObject({ state: 'connected', epoch: 1 });
    first.stop();
    second.stop();
  });

  scenario('ELECT-53', 'tells of the loss of a leader that releases or resigns in that turn', async (fixture) => {
    const { coordinator, states, events } = await fixture.client();
    const names = ['released', 'resigned', 'given up'];
    for (const name of names) {
      const own = coordinator.election(name);
      const grant = await Candidate.of(own).leads();
      const { signal } = grant;
      if (name === 'released') signal.addEventListener('abort', () => void grant.release());
      if (name === 'resigned') signal.addEventListener('abort', () => void own.resign());
      if (name === 'given up') own.isLeader$.subscribe((leads) => leads || void own.resign());
    }
    await fixture.expire({ states });
    await states.first(({ state }) => state === 'lost');
    const losses = () => events.values.filter(({ type }) => type === 'grant-lost');
    const loss = {
      token: expect.any(BigInt) as bigint,
      heldMs: expect.any(Number) as number,
      reason: { code: 'GRANT_LOST' },
    };
    await eventually(() => expect(losses()).toMatchObject(names.map((name) => ({ ...loss, name }))));
  });

  // curator CURATOR-460 and 444, patroni#308 and #1981: a cut-off leader went on beside the next one.
  scenario('ELECT-42', 'tells a cut-off leader before the next one is elected', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const own = one.coordinator.election('a');
    const heard: { readonly what: string; readonly at: number }[] = [];
    const hear = (what: string): number => heard.push({ what, at: performance.now() });
    own.isLeader$.subscribe((leads) => hear(`leads ${String(leads)}`));
    const first = Candidate.of(own);
    const grant = await first.leads();
    grant.signal.addEventListener('abort', () => hear('signal'));
    const waiting = Candidate.of(own);
    await fixture.lineOf('election/a', 2);
    const next = other.coordinator.election('a').campaign().pipe(share());
    next.subscribe(({ state }) => hear(`next ${state}`));
    const second = new Candidate(next);
    await fixture.lineOf('election/a', 3);
    const until = grant.safeUntil;
    one.link.blackhole();
    await eventually(() => expect(heard.at(-1)?.what).toBe('next leading'));
    expect(heard.map(({ what }) => what).filter((what) => what !== 'next waiting')).toEqual([
      'leads false',
      'leads true',
      'signal',
      'leads false',
      'next leading',
    ]);
    expect(heard.at(-1)?.at).toBeGreaterThanOrEqual(until);
    expect(first.said).toEqual(['waiting', 'leading', 'lost', 'waiting']);
    expect((await second.leads()).token).toBeGreaterThan(grant.token);
    expect(waiting.said).toEqual(['waiting']);
  });

  // OpenStack Launchpad 1708836 and etcd#19597: a waiter whose own session was over waited for ever, or failed.
  scenario(
    'ELECT-43',
    'puts a candidate that lost its place at the end of the line, and tells it nothing',
    async (fixture) => {
      const [one, two, three] = (await fixture.clients(3)) as [Client, Client, Client];
      const leader = Candidate.of(one.coordinator.election('a'));
      await leader.leads();
      const second = Candidate.of(two.coordinator.election('a'));
      await fixture.lineOf('election/a', 2);
      const third = Candidate.of(three.coordinator.election('a'));
      const line = await fixture.lineOf('election/a', 3);
      await fixture.expire(two);
      await eventually(async () => {
        const entries = await fixture.entries('election/a');
        expect(entries.slice(0, 2)).toEqual([line[0], line[2]]);
        expect(entries).toHaveLength(3);
      });
      expect(two.events.values.some(({ type }) => type === 'requeued')).toBe(true);
      leader.stop();
      await third.leads();
      expect(second.said).toEqual(['waiting']);
      third.stop();
      await second.leads();
      second.stop();
    },
  );

  scenario('ELECT-44', 'aborts the signal, says that nobody leads, emits the loss, then the state', async (fixture) => {
    const { coordinator, link, states } = await fixture.client();
    const own = coordinator.election('a');
    const order: string[] = [];
    own.campaign().subscribe((campaign) => {
      order.push(campaign.state);
      if (campaign.state === 'leading') campaign.grant.signal.addEventListener('abort', () => order.push('signal'));
    });
    own.isLeader$.subscribe((leads) => order.push(String(leads)));
    coordinator.session$.subscribe(({ state }) => {
      if (state === 'lost') order.push('state');
    });
    await eventually(() => expect(order.at(-1)).toBe('true'));
    // By its own deadline: an end on the store may reach the grant first, as the deletion of its entry.
    link.blackhole();
    await states.first(({ state }) => state === 'lost');
    expect(order).toEqual(['waiting', 'false', 'leading', 'true', 'signal', 'false', 'lost', 'state', 'waiting']);
  });

  // pulsar 948d962: a stale leader that closed removed the node of the next one.
  scenario('ELECT-48', 'leaves the entry of the next leader alone when an earlier one ends', async (fixture) => {
    const [one, two, other] = (await fixture.clients(3)) as [Client, Client, Client];
    const first = Candidate.of(one.coordinator.election('a'), { requeue: false });
    const grant = await first.leads();
    const again = two.coordinator.election('a');
    const second = Candidate.of(again, { requeue: false });
    await fixture.lineOf('election/a', 2);
    await fixture.expire(one);
    await first.lost();
    await second.leads();
    await fixture.expire(two);
    await second.lost();
    const next = await Candidate.of(other.coordinator.election('a')).leads();
    await grant.release();
    first.stop();
    await again.resign();
    await one.coordinator.close();
    await two.coordinator.close();
    expect(await fixture.entries('election/a')).toHaveLength(1);
    await throughout(fixture.timeoutMs / 8, () => expect(isHeld(next)).toBe(true));
  });

  // patroni#1783 and go-zookeeper#229: a reply that was lost left a ghost, or an error.
  scenario('ELECT-49', 'stands once though the reply is lost, or the request applied late', async (fixture) => {
    const [swallowed, late] = (await fixture.clients(2)) as [Client, Client];
    for (const name of ['a', 'b']) await late.coordinator.election(name).lead(() => undefined, { requeue: false });
    swallowed.link.swallowReplies();
    const first = Candidate.of(swallowed.coordinator.election('a'));
    await fixture.lineOf('election/a', 1);
    swallowed.link.heal();
    const { requests } = late.coordinator.traffic;
    late.link.holdRequests();
    const second = Candidate.of(late.coordinator.election('b'));
    await fixture.sent(late.coordinator, requests);
    await late.link.deliverHeld();
    for (const [name, candidate] of [
      ['a', first],
      ['b', second],
    ] as const) {
      const grant = await candidate.leads();
      await throughout(fixture.timeoutMs / 8, async () =>
        expect(await fixture.entries(`election/${name}`)).toHaveLength(1),
      );
      expect(isHeld(grant)).toBe(true);
      candidate.stop();
    }
  });
});
