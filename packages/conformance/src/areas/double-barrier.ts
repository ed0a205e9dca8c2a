import type { DoubleBarrier } from '@concordat/core';
import { expect } from 'vitest';
import { eventually, soon, throughout } from '../eventually.js';
import type { Client, Fixture } from '../fixture.js';
import { membersOf, throughRounds } from '../rounds.js';
import { area } from '../scenario.js';
import { holdsUp } from '../waits.js';
import { quiet } from '../wire-tally.js';

/** Double barriers as they are meant: docs/spec/double-barrier.md. */
export const doubleBarrier = area('double barrier', (scenario) => {
  scenario('DOUB-01', 'lets everybody in when the last one is there, and nobody before', async (fixture) => {
    const [one, two, three] = await participants(fixture, 3, 3);
    const early = [one, two].map((participant) => participant.enter());
    await holdsUp(fixture, early);
    await soon('entering', Promise.all([...early, three.enter()]));
    expect(one.parties).toBe(3);
  });

  // curator#753: leave said early that all had left.
  scenario('DOUB-02', 'lets everybody out when the last one has left, and nobody before', async (fixture) => {
    const [one, two, three] = await participants(fixture, 3, 3);
    await Promise.all([one, two, three].map((participant) => participant.enter()));
    const early = [one, two].map((participant) => participant.leave());
    await holdsUp(fixture, early);
    await soon('leaving', Promise.all([...early, three.leave()]));
  });

  scenario('DOUB-03', 'goes through many rounds, all of them together', async (fixture) => {
    const parties = 4;
    const participating = await participants(fixture, parties, parties);
    await soon('all rounds', throughRounds(participating, 8));
  });

  scenario('DOUB-04', 'keeps who comes during a round waiting for the next one', async (fixture) => {
    const [one, two, three, four] = await participants(fixture, 4, 2);
    await Promise.all([one.enter(), two.enter()]);
    const next = three.enter();
    await holdsUp(fixture, [next]);
    const leaving = one.leave();
    await holdsUp(fixture, [next, leaving]);
    await Promise.all([two.leave(), leaving]);
    await holdsUp(fixture, [next]);
    await soon('the next round', Promise.all([next, four.enter()]));
    await Promise.all([three.leave(), four.leave()]);
  });

  scenario('DOUB-05', 'serves more candidates than parties, round by round', async (fixture) => {
    const [one, two, three, four, five, six] = await participants(fixture, 6, 2);
    let passed = 0;
    let inside = 0;
    const through = async (participant: DoubleBarrier): Promise<void> => {
      await participant.enter();
      inside++;
      passed++;
      expect(inside).toBeLessThanOrEqual(2);
      await eventually(() => expect(passed % 2).toBe(0));
      inside--;
      await participant.leave();
    };
    const early = [one, two, three, four, five].map(through);
    await eventually(() => expect(passed).toBe(4));
    await throughout(fixture.timeoutMs / 8, () => expect(passed).toBe(4));
    await soon('the last round', Promise.all([...early, through(six)]));
    expect(passed).toBe(6);
  });

  scenario('DOUB-06', 'refuses to enter unless outside, and to leave unless inside', async (fixture) => {
    const [one, two] = await participants(fixture, 2, 2);
    await expect(one.leave()).rejects.toMatchObject({ code: 'NOT_HELD' });
    const entering = one.enter();
    await expect(one.enter()).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    await expect(one.leave()).rejects.toMatchObject({ code: 'NOT_HELD' });
    await Promise.all([entering, two.enter()]);
    await expect(one.enter()).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    const leaving = one.leave();
    await expect(one.leave()).rejects.toMatchObject({ code: 'NOT_HELD' });
    await Promise.all([leaving, two.leave()]);
    await expect(one.leave()).rejects.toMatchObject({ code: 'NOT_HELD' });
    const unknown: object = { timeout: 5 };
    await expect(one.enter(unknown)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await Promise.all([one.enter(), two.enter()]);
  });

  scenario('DOUB-07', 'tells who counts other parties than a round that is alive', async (fixture) => {
    const [a, b, c] = (await fixture.clients(3)) as [Client, Client, Client];
    const waiting = a.coordinator.doubleBarrier('a', 2).enter();
    await membersOf(fixture, 1);
    for (const parties of [1, 3])
      await expect(b.coordinator.doubleBarrier('a', parties).enter()).rejects.toMatchObject({ code: 'CONFLICT' });
    const other = c.coordinator.doubleBarrier('a', 2);
    await soon('entering', Promise.all([waiting, other.enter()]));
    await expect(b.coordinator.doubleBarrier('a', 3).enter()).rejects.toMatchObject({ code: 'CONFLICT' });
    await Promise.all([a.coordinator.close(), c.coordinator.close()]);
    await b.coordinator.doubleBarrier('a', 1).enter({ timeoutMs: 10_000 });
  });

  scenario('DOUB-08', 'counts participants of one coordinator and of several alike', async (fixture) => {
    const clients = await fixture.clients(2);
    const participating = [...clients, ...clients].map(({ coordinator }) => coordinator.doubleBarrier('a', 4));
    await soon('all rounds', throughRounds(participating, 3));
  });

  scenario('DOUB-09', 'takes one party alone, and refuses numbers that are none', async (fixture) => {
    const { coordinator } = await fixture.client();
    const alone = coordinator.doubleBarrier('alone', 1);
    for (let round = 0; round < 3; round++) {
      await alone.enter({ timeoutMs: 10_000 });
      await alone.leave({ timeoutMs: 10_000 });
    }
    for (const parties of [0, -1, 1.5, 1_001, Number.NaN])
      expect(() => coordinator.doubleBarrier('a', parties)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      );
  });

  scenario(
    'DOUB-30',
    'costs the same whatever the number of parties, but for who completes a round',
    async (fixture) => {
      const { coordinator } = await fixture.client();
      await coordinator.doubleBarrier('warm', 1).enter();
      for (const parties of [2, 8]) {
        const name = `of ${String(parties)}`;
        const others = await fixture.client();
        const early = Array.from({ length: parties - 1 }, () => others.coordinator.doubleBarrier(name, parties));
        const entering = early.map((participant) => participant.enter());
        await membersOf(fixture, parties - 1, encodeURIComponent(name));
        await quiet(others.link);
        const { requests, notifications } = coordinator.traffic;
        const last = coordinator.doubleBarrier(name, parties);
        const heard = others.coordinator.traffic.notifications;
        const asked = others.coordinator.traffic.requests;
        await last.enter();
        // A read, the session of each of the others, a write.
        expect(coordinator.traffic.requests - requests).toBe(parties + 1);
        expect(coordinator.traffic.notifications).toBe(notifications);
        await Promise.all(entering);
        // A look for each of them; and where a watch is re-armed with a read, that.
        expect(others.coordinator.traffic.requests - asked).toBeLessThanOrEqual(parties - 1 + 1);
        expect(others.coordinator.traffic.notifications - heard).toBe(1);
        const leaving = early.map((participant) => participant.leave());
        await membersOf(fixture, 1, encodeURIComponent(name));
        const stayed = coordinator.traffic.requests;
        await last.leave();
        expect(coordinator.traffic.requests - stayed).toBe(3);
        await soon('leaving', Promise.all(leaving));
      }
    },
  );

  scenario('DOUB-31', 'lets fifty participants of one coordinator in and out, all at once', async (fixture) => {
    const { coordinator } = await fixture.client();
    const participating = Array.from({ length: 50 }, () => coordinator.doubleBarrier('a', 50));
    await soon('all rounds', throughRounds(participating, 1));
  });
});

/** That many participants, each of a coordinator of its own. */
async function participants(fixture: Fixture, count: number, parties: number): Promise<Participants> {
  const clients = await fixture.clients(count);
  return clients.map(({ coordinator }) => coordinator.doubleBarrier('a', parties)) as unknown as Participants;
}

type Participants = readonly [
  DoubleBarrier,
  DoubleBarrier,
  DoubleBarrier,
  DoubleBarrier,
  DoubleBarrier,
  DoubleBarrier,
  ...DoubleBarrier[],
];
