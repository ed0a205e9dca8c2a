import type { Leader } from '@concordat/core';
import { expect } from 'vitest';
import { Candidate } from '../campaigns.js';
import { eventually } from '../eventually.js';
import type { Client, Fixture } from '../fixture.js';
import type { WireCounts } from '../harness.js';
import { Recorder } from '../recorder.js';
import { area } from '../scenario.js';
import { difference, quiet } from '../wire-tally.js';

/** What elections cost on the wire: docs/spec/election.md. */
export const electionCosts = area('election costs', (scenario) => {
  scenario('ELECT-13', 'costs an observer one notification a change, however long the line', async (fixture) => {
    const few = await costOfChanges(fixture, 3, 1);
    const many = await costOfChanges(fixture, 40, 20);
    expect(many).toEqual(few);
    expect([few.coming.notifications, few.proclaiming.notifications]).toEqual([1, 1]);
    // A store may tell of the entry and of the line.
    expect(few.leaving.notifications).toBeLessThanOrEqual(2);
    for (const { requests, writes } of [few.coming, few.proclaiming, few.leaving]) {
      expect(requests).toBeLessThanOrEqual(2);
      expect(writes).toBe(0);
    }
  });

  scenario.alone(
    'ELECT-18',
    'holds 200 elections on one coordinator, each at the price of the first',
    async (fixture) => {
      const { coordinator, link, events } = await fixture.client();
      events.stop();
      const lead = async (index: number): Promise<[Candidate, Recorder<Leader<string> | undefined>]> => {
        const own = coordinator.election(`of ${String(index)}`);
        const seen = new Recorder(own.leader$);
        const candidate = Candidate.of(own, { value: String(index) });
        await candidate.leads();
        await seen.settles((leader) => leader?.value === String(index));
        return [candidate, seen];
      };
      const before = await quiet(link);
      await lead(0);
      const first = difference(await quiet(link), before);
      const all: Awaited<ReturnType<typeof lead>>[] = [];
      while (all.length < 199) {
        const some = Array.from({ length: Math.min(25, 199 - all.length) }, (_, index) => lead(all.length + index + 1));
        all.push(...(await Promise.all(some)));
      }
      const rest = difference(await quiet(link), before);
      // A watch that another write overtook while it was opened reads once more.
      expect(rest.requests).toBeLessThanOrEqual(400 * first.requests);
      expect(rest.writes).toBeLessThanOrEqual(200 * first.writes);
      for (const [candidate] of all) candidate.stop();
      for (const [, seen] of all) {
        await seen.settles((leader) => leader === undefined);
        seen.stop();
      }
    },
  );
});

interface CostOfChanges {
  readonly coming: WireCounts;
  readonly proclaiming: WireCounts;
  readonly leaving: WireCounts;
}

/** What the changes of a line cost a process that looks: somebody comes, the leader proclaims, the leader leaves. */
async function costOfChanges(fixture: Fixture, candidates: number, observers: number): Promise<CostOfChanges> {
  const [one, other, observer] = (await fixture.clients(3)) as [Client, Client, Client];
  const name = `with ${String(candidates)}`;
  const dir = `election/${encodeURIComponent(name)}`;
  const own = one.coordinator.election(name);
  const first = Candidate.of(own, { value: 'first' });
  await first.leads();
  const others = other.coordinator.election(name);
  const second = Candidate.of(others, { value: 'second' });
  await fixture.lineOf(dir, 2);
  for (let index = 2; index < candidates; index++) Candidate.of(others, { value: 'waiting' });
  await fixture.lineOf(dir, candidates);
  const seen = Array.from({ length: observers }, () => new Recorder(observer.coordinator.election(name).leader$));
  const shows = async (value: string): Promise<void> => {
    for (const leader of seen) await leader.settles((at) => at?.value === value);
  };
  await shows('first');
  const before = await quiet(observer.link);
  Candidate.of(others, { value: 'last' });
  await eventually(() => expect(observer.link.wire.notifications).toBeGreaterThan(before.notifications));
  const came = await quiet(observer.link);
  await own.proclaim('proclaimed');
  await shows('proclaimed');
  const proclaimed = await quiet(observer.link);
  first.stop();
  await shows('second');
  const left = await quiet(observer.link);
  await second.leads();
  await Promise.all([one, other, observer].map(({ coordinator }) => coordinator.close()));
  return {
    coming: difference(came, before),
    proclaiming: difference(proclaimed, came),
    leaving: difference(left, proclaimed),
  };
}
