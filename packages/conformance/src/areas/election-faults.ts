import { share } from 'rxjs';
import { expect } from 'vitest';
import { blockEventLoop } from '../block-event-loop.js';
import { Candidate, judge, threeCandidates } from '../campaigns.js';
import { eventually, outcome, throughout } from '../eventually.js';
import { Exclusion, isHeld } from '../exclusion.js';
import type { Client } from '../fixture.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';

/** Elections over faults of the store, of connections and of this process, and over a close: docs/spec/election.md. */
export const electionFaults = area('election faults', (scenario) => {
  // Patroni's frozen process: the thawed leader acted before it looked.
  scenario.alone('ELECT-45', 'tells a leader that was stopped of its loss before its work goes on', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const own = one.coordinator.election('a');
    const campaign = Candidate.of(other.coordinator.election('b'));
    const grant = await campaign.leads();
    const seen = new Recorder(own.isLeader$);
    const steps: string[] = [];
    const leading = outcome(
      own.lead(
        async ({ signal, token }) => {
          signal.addEventListener('abort', () => steps.push('told'));
          steps.push('work');
          await other.coordinator.ready();
          blockEventLoop(fixture.timeoutMs + 500);
          steps.push(signal.aborted ? 'stopped' : 'guarded work');
          return token;
        },
        { requeue: false },
      ),
    );
    expect((await leading).reason).toMatchObject({ code: 'GRANT_LOST' });
    expect(steps).toEqual(['work', 'told', 'stopped']);
    expect([seen.last, isHeld(grant)]).toEqual([false, false]);
    await campaign.lost();
    const next = await campaign.leads();
    expect(next.token).toBeGreaterThan(grant.token);
    campaign.stop();
    seen.stop();
  });

  // etcd3#158 and Patroni: two leaders after the store was away longer than the timeout.
  scenario.alone('ELECT-46', 'has one leader at most over a store frozen past the timeout', async (fixture) => {
    const { server } = fixture;
    const clients = await fixture.clients(3);
    const exclusion = judge(...clients.map(({ coordinator }) => coordinator.election('a').campaign()));
    const own = clients.map(({ coordinator }, index) => Candidate.of(coordinator.election(`own ${String(index)}`)));
    const grants = await Promise.all(own.map((candidate) => candidate.leads()));
    await fixture.lineOf('election/a', 3);
    await server.freeze();
    const frozenAt = performance.now();
    await Promise.all(own.map((candidate) => candidate.lost()));
    expect(performance.now()).toBeLessThan(frozenAt + fixture.timeoutMs + 500);
    await throughout(fixture.timeoutMs / 4, () => expect(grants.map(isHeld)).toEqual([false, false, false]));
    await server.thaw();
    for (const candidate of own) await candidate.leads(30_000);
    await eventually(() => expect(exclusion.tokens.length).toBeGreaterThanOrEqual(2), 30_000);
    expect(exclusion.violations).toEqual([]);
  });

  // pulsar#23125: a leader took itself for a follower after a missed watch; pulsar#24478: two owners after a reconnection.
  scenario(
    'ELECT-47',
    'has one leader at most while connections flap, and everybody sees the last',
    async (fixture) => {
      const clients = await fixture.clients(3);
      const exclusion = new Exclusion();
      const seen = clients.map(({ coordinator }) => new Recorder(coordinator.election('a').leader$));
      let flapping = true;
      const candidates = clients.map(({ coordinator }) => {
        const campaign = coordinator.election('a').campaign().pipe(share());
        campaign.subscribe((at) => {
          if (at.state !== 'leading') return;
          exclusion.granted(at.grant);
          if (flapping || exclusion.tokens.length < 6)
            void throughout(5, () => undefined).then(() => exclusion.release(at.grant));
        });
        return new Candidate(campaign);
      });
      await Promise.all(
        clients.map(async ({ link, states }) => {
          for (let flap = 0; flap < 12; flap++) {
            const { length } = states.values;
            link.flap();
            await eventually(() => {
              expect(states.values.length).toBeGreaterThan(length);
              expect(states.last?.state).toBe('connected');
            });
          }
        }),
      );
      flapping = false;
      const token = await eventually(async () => {
        const leaders = candidates.flatMap(({ last }) =>
          last?.state === 'leading' && isHeld(last.grant) ? [last.grant] : [],
        );
        expect(leaders).toHaveLength(1);
        await throughout(100, () => expect(leaders.map(isHeld)).toEqual([true]));
        return leaders[0]?.token;
      });
      for (const leader of seen) await leader.settles((at) => at?.token === token && at?.stale === false);
      expect(exclusion.violations).toEqual([]);
      expect(exclusion.tokens.length).toBeGreaterThanOrEqual(6);
      for (const { states } of clients) expect(states.last?.epoch).toBe(1);
      for (const leader of seen) {
        const tokens = leader.values.flatMap((at) => (at === undefined ? [] : [at.token]));
        expect(tokens).toEqual([...tokens].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
        leader.stop();
      }
      await fixture.lineOf('election/a', 3);
    },
  );

  scenario('ELECT-50', 'tells leaders of the close, and completes campaigns and streams', async (fixture) => {
    const { one, own, grant, leader, waiting, next } = await threeCandidates(fixture);
    const streams = [new Recorder<unknown>(own.isLeader$), new Recorder<unknown>(own.leader$)];
    let settled = false;
    const working = outcome(
      one.coordinator.election('b').lead(async ({ signal }) => {
        await eventually(() => expect(signal.aborted).toBe(true));
        settled = true;
      }),
    );
    const queued = outcome(own.lead(() => 'never'));
    await fixture.lineOf('election/b', 1);
    await fixture.lineOf('election/a', 4);
    const resigned = own.resign();
    const stood = Candidate.of(one.coordinator.election('c'));
    await stood.leads();
    await resigned;
    const last = Candidate.of(own);
    const closing = one.coordinator.close();
    expect(stood.said).toEqual(['waiting', 'leading', 'lost']);
    expect(await stood.lost()).toMatchObject({ code: 'CLOSED' });
    expect([isHeld(grant), streams[0]?.last]).toEqual([false, false]);
    await closing;
    expect([leader, waiting, stood, last, ...streams].map(({ completed }) => completed)).toEqual(Array(6).fill(true));
    expect(last.said).toEqual(['waiting']);
    expect(await working).toMatchObject({ reason: { code: 'CLOSED' } });
    expect(settled).toBe(true);
    expect(await queued).toMatchObject({ rejected: false });
    await own.resign();
    expect(await fixture.entries('election/a')).toHaveLength(1);
    await next.leads();
    next.stop();
  });

  scenario('ELECT-52', 'completes campaigns whose caller closes first and aborts then', async (fixture) => {
    const { coordinator } = await fixture.client();
    const own = coordinator.election('a');
    const caller = new AbortController();
    const { signal } = caller;
    const leader = Candidate.of(own, { signal });
    await leader.leads();
    const waiting = Candidate.of(own, { signal });
    await fixture.lineOf('election/a', 2);
    const other = coordinator.election('b');
    let finish: (answer: string) => void = () => undefined;
    const work = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const working = outcome(other.lead(() => work));
    await fixture.lineOf('election/b', 1);
    const resigned = outcome(other.resign({ signal }));
    const closing = coordinator.close();
    caller.abort(new Error('too late'));
    for (const candidate of [leader, waiting]) await candidate.end();
    expect([leader.reason, waiting.reason]).toEqual([undefined, undefined]);
    expect(leader.said).toEqual(['waiting', 'leading', 'lost']);
    expect(await resigned).toMatchObject({ rejected: false });
    finish('done');
    expect(await working).toMatchObject({ rejected: false });
    await closing;
  });

  scenario('ELECT-51', 'fails with CLOSED once its coordinator is closed', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const own = coordinator.election('a');
    await coordinator.close();
    const { requests } = link.wire;
    const candidate = Candidate.of(own);
    await candidate.end();
    expect([candidate.values, candidate.reason]).toEqual([[], expect.objectContaining({ code: 'CLOSED' })]);
    await expect(own.lead(() => 'never')).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(own.proclaim('never')).rejects.toMatchObject({ code: 'CLOSED' });
    await own.resign();
    const streams = [new Recorder<unknown>(own.isLeader$), new Recorder<unknown>(own.leader$)];
    for (const stream of streams) await stream.end();
    expect(streams.map(({ completed, values }) => [completed, values])).toEqual([
      [true, [false]],
      [true, []],
    ]);
    expect(link.wire.requests).toBe(requests);
  });
});
