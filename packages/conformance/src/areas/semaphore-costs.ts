import type { Grant } from '@concordat/core';
import { expect } from 'vitest';
import { eventually, outcome, throughout } from '../eventually.js';
import { isHeld } from '../exclusion.js';
import type { Client, Fixture } from '../fixture.js';
import type { WireCounts } from '../harness.js';
import { required } from '../lines.js';
import { area } from '../scenario.js';
import { queueForPermits } from '../waiting-for-permits.js';
import { difference, quiet } from '../wire-tally.js';

const handOvers = 4;
const most = 300;

/** What a semaphore costs on the wire: docs/spec/semaphore.md. */
export const semaphoreCosts = area('semaphore costs', (scenario) => {
  scenario.alone('SEM-40', 'costs a release the same, whatever the line’s length and the permits', async (fixture) => {
    const few = await costOfHandOvers(fixture, 4, 5);
    const long = await costOfHandOvers(fixture, 4, 100);
    const wide = await costOfHandOvers(fixture, 40, 8);
    expect(few.writes).toBe(handOvers * 2);
    // A watch may be told once more while it is being taken back.
    for (const cost of [long, wide]) {
      expect(cost.writes).toBe(few.writes);
      expect(Math.abs(cost.notifications - few.notifications)).toBeLessThanOrEqual(handOvers);
      expect(Math.abs(cost.requests - few.requests)).toBeLessThanOrEqual(handOvers);
    }
    // One who is let in, one who is told of that; the holder of its own end; and at most two watches that could not be taken back.
    const { permitNotifications = 5 } = fixture.harness.costs;
    expect(few.notifications).toBeLessThanOrEqual(handOvers * permitNotifications);
    // The watches of grants on their own entries included.
    expect(few.requests).toBeLessThanOrEqual(handOvers * 12);
  });

  scenario('SEM-41', 'costs a free permit what a free lock costs, and at most one write more', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    await other.coordinator.semaphore('a', 5).with(() => undefined);
    const before = await quiet(one.link);
    const grant = await one.coordinator.semaphore('a', 5).acquire();
    const cost = difference(await quiet(one.link), before);
    const { acquire } = fixture.harness.costs;
    expect(cost.writes - acquire.writes).toBeLessThanOrEqual(1);
    expect(cost.requests - acquire.requests).toBeLessThanOrEqual(2);
    await grant.release();
  });

  scenario('SEM-43', 'tells one session of an arrival, however many wait', async (fixture) => {
    const [holder, one, other] = (await fixture.clients(3)) as [Client, Client, Client];
    for (let count = 0; count < 2; count++) await holder.coordinator.semaphore('a', 2).acquire();
    expect(await queueForPermits(fixture, one, 2, 1, 2)).toHaveLength(1);
    expect(await queueForPermits(fixture, other, 2, 5, 3)).toHaveLength(5);
    const told = [await quiet(holder.link), await quiet(one.link), await quiet(other.link)];
    const arriving = await fixture.client();
    expect(await queueForPermits(fixture, arriving, 2, 5, 8)).toHaveLength(5);
    const [ofHolder, ofFirst, ofOthers] = [
      await quiet(holder.link),
      await quiet(one.link),
      await quiet(other.link),
    ].map((after, index) => difference(after, required(told[index])).notifications);
    expect([ofHolder, ofOthers]).toEqual([0, 0]);
    expect(ofFirst).toBeLessThanOrEqual(5);
  });

  scenario.alone('SEM-42', 'serves hundreds of permits of one name', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    one.events.stop();
    const full = one.coordinator.semaphore('a', most);
    const grants: Grant[] = [];
    while (grants.length < most)
      grants.push(...(await Promise.all(Array.from({ length: 100 }, () => full.acquire({ timeoutMs: 30_000 })))));
    expect(grants.filter(isHeld)).toHaveLength(most);
    const before = other.coordinator.traffic.requests;
    const waiting = outcome(other.coordinator.semaphore('a', most).acquire());
    await fixture.lineOf('sem/a', most + 1);
    let granted = false;
    void waiting.then(() => (granted = true));
    await throughout(200, () => expect(granted).toBe(false));
    await grants[most / 2]?.release();
    expect(isHeld(required((await waiting).value))).toBe(true);
    expect(other.coordinator.traffic.requests - before).toBeLessThan(20);
    await Promise.all([one.coordinator.close(), other.coordinator.close()]);
  });
});

/**
 * Holders in one process, and that many waiters spread over three more; what some hand-overs cost all of them together. Long-held permits stay
 * between those that change hands.
 */
async function costOfHandOvers(fixture: Fixture, permits: number, waiters: number): Promise<WireCounts> {
  const clients = await fixture.clients(4);
  const name = `${String(permits)}-${String(waiters)}`;
  const held: Grant[] = [];
  const holder = required(clients[0]).coordinator.semaphore(name, permits);
  for (let count = 0; count < permits; count++) held.push(await holder.acquire());
  const caller = new AbortController();
  const served: Grant[] = [];
  const waiting: Promise<unknown>[] = [];
  for (let index = 0; index < waiters; index++) {
    const { coordinator } = required(clients[1 + (index % 3)]);
    const wait = coordinator.semaphore(name, permits).acquire({ signal: caller.signal });
    waiting.push(outcome(wait.then((grant) => served.push(grant))));
    // Those that are served take turns, so that no two watches of one session are one.
    if (index <= handOvers + 1) await fixture.lineOf(`sem/${name}`, permits + index + 1);
  }
  await fixture.lineOf(`sem/${name}`, permits + waiters);
  const links = clients.map(({ link }) => link);
  // The first watches of what is held begin a moment after the grant.
  await throughout(150, () => undefined);
  const handOver = async (from: Grant | undefined): Promise<void> => {
    const expected = served.length + 1;
    await required(from).release();
    await eventually(() => expect(served).toHaveLength(expected));
    // Its own watch, where that costs a request, belongs to the grant.
    await throughout(150, () => undefined);
  };
  // Whatever watches the arrivals left behind have been told before it is counted.
  await handOver(held[0]);
  const before = await quiet(...links);
  for (const next of [() => held[1], () => served[0], () => served[1], () => held[3]]) await handOver(next());
  const cost = difference(await quiet(...links), before);
  caller.abort();
  await Promise.all(waiting);
  await Promise.all(clients.map(({ coordinator }) => coordinator.close()));
  return cost;
}
