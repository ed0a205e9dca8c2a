import { expect } from 'vitest';
import { nextTurn, outcome, soon, throughout } from '../eventually.js';
import type { Client } from '../fixture.js';
import { area } from '../scenario.js';
import { difference, quiet, tally } from '../wire-tally.js';

/** Barriers: docs/spec/barrier.md. */
export const barrier = area('barrier', (scenario) => {
  scenario('BARR-01', 'lets everybody pass while it is open, and before it was ever closed', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    await one.coordinator.barrier('a').wait({ timeoutMs: 10_000 });
    await one.coordinator.barrier('a').close();
    await one.coordinator.barrier('a').open();
    for (const { coordinator } of [one, other]) await coordinator.barrier('a').wait({ timeoutMs: 10_000 });
  });

  scenario('BARR-02', 'holds everybody up while it is closed, and lets all pass when it is opened', async (fixture) => {
    const [one, two, three] = (await fixture.clients(3)) as [Client, Client, Client];
    await one.coordinator.barrier('a').close();
    let passed = 0;
    const waiting = [one, two, two, three].map(({ coordinator }) =>
      coordinator
        .barrier('a')
        .wait()
        .then(() => passed++),
    );
    await throughout(fixture.timeoutMs / 4, () => expect(passed).toBe(0));
    await three.coordinator.barrier('a').open();
    await soon('passing', Promise.all(waiting));
  });

  scenario('BARR-03', 'leaves nobody behind when it is opened and closed again at once', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const closing = one.coordinator.barrier('a');
    await closing.close();
    for (let round = 0; round < 5; round++) {
      const early = other.coordinator.barrier('a').wait();
      await quiet(other.link);
      // A waiter that is told in time sees it open; one that is told late only finds the next round closed.
      if (round % 2 === 1) other.link.cut();
      await closing.open();
      await closing.close();
      other.link.heal();
      await soon('passing', early);
    }
    const late = outcome(other.coordinator.barrier('a').wait({ timeoutMs: 300 }));
    expect((await late).reason).toMatchObject({ code: 'TIMEOUT' });
  });

  scenario('BARR-04', 'is closed once and opened once, however often it is said', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    for (let round = 0; round < 3; round++) {
      for (const { coordinator } of [one, other, one]) await coordinator.barrier('a').close();
      const waiting = other.coordinator.barrier('a').wait();
      await Promise.all([one, other].map(({ coordinator }) => coordinator.barrier('a').close()));
      let passed = false;
      void waiting.then(() => (passed = true));
      await throughout(100, () => expect(passed).toBe(false));
      for (const { coordinator } of [one, other, one]) await coordinator.barrier('a').open();
      await soon('passing', waiting);
      await other.coordinator.barrier('a').wait({ timeoutMs: 10_000 });
    }
  });

  scenario('BARR-05', 'stays closed when whoever closed it is gone, and is opened by another', async (fixture) => {
    const [one, two, three] = (await fixture.clients(3)) as [Client, Client, Client];
    await one.coordinator.barrier('a').close();
    await two.coordinator.barrier('b').close();
    await one.coordinator.close();
    await fixture.expire(two);
    await two.states.first(({ epoch }) => epoch === 2);
    for (const name of ['a', 'b']) {
      const early = three.coordinator.barrier(name).wait({ timeoutMs: 200 });
      await expect(early).rejects.toMatchObject({ code: 'TIMEOUT' });
      await three.coordinator.barrier(name).open();
      await three.coordinator.barrier(name).wait({ timeoutMs: 10_000 });
    }
  });

  // A waiter that trusts what its watch showed before the call passes a closed barrier.
  scenario('BARR-06', 'never passes on what was seen before the call', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    for (let round = 0; round < 15; round++) {
      await one.coordinator.barrier('a').close();
      const before = other.coordinator.barrier('a').wait();
      if (round % 2 === 0) await quiet(other.link);
      await one.coordinator.barrier('a').open();
      await one.coordinator.barrier('a').close();
      let passed = false;
      const after = other.coordinator
        .barrier('a')
        .wait()
        .then(() => (passed = true));
      if (round % 2 === 0) await soon('passing', before);
      for (let turn = 0; turn < 20; turn++) {
        await nextTurn();
        expect(passed).toBe(false);
      }
      await one.coordinator.barrier('a').open();
      await soon('passing', Promise.all([before, after]));
    }
  });

  scenario('BARR-07', 'goes through many rounds with many waiters', async (fixture) => {
    const clients = await fixture.clients(3);
    const rounds = 8;
    const closing = clients[0] as Client;
    let open = 0;
    await closing.coordinator.barrier('round 0').close();
    const waiting = clients.map(async ({ coordinator }) => {
      for (let round = 0; round < rounds; round++) {
        await coordinator.barrier(`round ${String(round)}`).wait();
        // Each round is closed before the one ahead of it is opened.
        expect(open).toBeGreaterThan(round);
      }
    });
    for (let round = 0; round < rounds; round++) {
      await closing.coordinator.barrier(`round ${String(round + 1)}`).close();
      open = round + 1;
      await closing.coordinator.barrier(`round ${String(round)}`).open();
    }
    await soon('passing every round', Promise.all(waiting));
    const same = closing.coordinator.barrier('same');
    for (let round = 0; round < rounds; round++) {
      await same.close();
      const all = clients.flatMap(({ coordinator }) => [coordinator.barrier('same').wait(), same.wait()]);
      if (round % 2 === 0) await nextTurn();
      await same.open();
      await soon(`round ${String(round)}`, Promise.all(all));
    }
  });

  scenario('BARR-08', 'keeps names apart', async (fixture) => {
    const { coordinator } = await fixture.client();
    const names = ['a', 'a/b', 'a%2Fb', '.'];
    for (const name of names) {
      await coordinator.barrier(name).close();
      for (const other of names) {
        const waited = await outcome(coordinator.barrier(other).wait({ timeoutMs: other === name ? 100 : 10_000 }));
        expect(waited.rejected).toBe(other === name);
      }
      await coordinator.barrier(name).open();
    }
    for (const name of ['', 'x'.repeat(129)])
      expect(() => coordinator.barrier(name)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    const unknown: object = { timeout: 5 };
    await expect(coordinator.barrier('a').wait(unknown)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  // consul#7523 and #9469: everybody woken by everything.
  scenario(
    'BARR-20',
    'costs a read and a write, and an opening one notification for each coordinator',
    async (fixture) => {
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const target = one.coordinator.barrier('a');
      await target.close();
      await target.open();
      const counted = async (call: () => Promise<void>): Promise<number> => {
        const { requests } = one.coordinator.traffic;
        await call();
        return one.coordinator.traffic.requests - requests;
      };
      expect(await counted(() => target.close())).toBe(2);
      expect(await counted(() => target.open())).toBe(2);
      expect(await counted(() => target.wait())).toBe(1);
      await target.close();
      const waiters = 20;
      const waiting = Array.from({ length: waiters }, () => other.coordinator.barrier('a').wait());
      const before = await quiet(other.link);
      const heard = other.coordinator.traffic.notifications;
      await target.open();
      await Promise.all(waiting);
      expect(other.coordinator.traffic.notifications - heard).toBe(1);
      // One read for each; and where a watch is re-armed with a read, that.
      expect(difference(tally(other.link), before).requests).toBeLessThanOrEqual(waiters + 3);
    },
  );
});
