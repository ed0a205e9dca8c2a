import type { Barrier } from '@concordat/core';
import { expect } from 'vitest';
import { afterRequest } from '../after-request.js';
import { codeOf, eventually, nextTurn, outcome, soon } from '../eventually.js';
import type { Client } from '../fixture.js';
import { area } from '../scenario.js';
import { textOf } from '../store-client.js';
import { holdsUp } from '../waits.js';
import { quiet } from '../wire-tally.js';

/** Barriers on bad days: docs/spec/barrier.md. */
export const barrierFaults = area('barrier under faults', (scenario) => {
  scenario('BARR-10', 'ends with abort, limit and close, and leaves no watch behind', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    await one.coordinator.barrier('a').close();
    const sent = other.link.wire.requests;
    const calls = (['close', 'open', 'wait'] as const).flatMap((call) => {
      const target = other.coordinator.barrier('a');
      return [target[call]({ signal: AbortSignal.abort('mine') }), target[call]({ timeoutMs: 0 })];
    });
    const ended = await soon('the end', Promise.all(calls.map(outcome)));
    expect(ended.map(({ reason }) => codeOf(reason) ?? reason)).toEqual(Array(3).fill(['mine', 'TIMEOUT']).flat());
    expect(other.link.wire.requests).toBe(sent);
    const caller = new AbortController();
    const aborted = outcome(other.coordinator.barrier('a').wait({ signal: caller.signal }));
    const from = performance.now();
    const timed = await soon('the limit', outcome(other.coordinator.barrier('a').wait({ timeoutMs: 400 })));
    expect(timed.reason).toMatchObject({ code: 'TIMEOUT' });
    expect(String(timed.reason)).toContain('barrier "a"');
    expect(timed.at - from).toBeGreaterThanOrEqual(399);
    expect(timed.at - from).toBeLessThan(1_500);
    caller.abort('mine');
    expect((await aborted).reason).toBe('mine');
    await quiet(other.link);
    const before = other.coordinator.traffic.notifications;
    for (let round = 0; round < 3; round++) {
      await one.coordinator.barrier('a').open();
      await one.coordinator.barrier('a').close();
    }
    await quiet(one.link, other.link);
    // A one-shot watch that was set may fire once more.
    expect(other.coordinator.traffic.notifications - before).toBeLessThanOrEqual(1);
    const closed = outcome(other.coordinator.barrier('a').wait());
    await nextTurn();
    await other.coordinator.close();
    expect((await closed).reason).toMatchObject({ code: 'CLOSED' });
    await expect(other.coordinator.barrier('a').open()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  // spring-integration#1863, vitess#11678: limits that a silent connection broke.
  scenario('BARR-11', 'keeps every limit with the connection cut or silent', async (fixture) => {
    const [cut, silent, one] = (await fixture.clients(3)) as [Client, Client, Client];
    await one.coordinator.barrier('a').close();
    cut.link.cut();
    silent.link.blackhole();
    const from = performance.now();
    await Promise.all(
      [cut, silent].map(async ({ coordinator }) => {
        const target = coordinator.barrier('a');
        const limit = { timeoutMs: 500 };
        const calls = [target.wait(limit), target.open(limit), target.close(limit)].map(outcome);
        for (const { reason, at } of await soon('the limit', Promise.all(calls))) {
          expect(reason).toMatchObject({ code: 'TIMEOUT' });
          expect(at - from).toBeLessThan(1_500);
        }
        const caller = new AbortController();
        const aborted = outcome(target.wait({ signal: caller.signal }));
        caller.abort('mine');
        expect((await aborted).reason).toBe('mine');
      }),
    );
  });

  // curator CURATOR-538 and valkeyrie PR181: waiters that never woke after a partition.
  scenario('BARR-12', 'lets a waiter pass that lost its connection or its session meanwhile', async (fixture) => {
    const [one, cut, lost, flapped] = (await fixture.clients(4)) as [Client, Client, Client, Client];
    await one.coordinator.barrier('a').close();
    const waiting = [cut, lost, flapped].map(({ coordinator }) => outcome(coordinator.barrier('a').wait()));
    await quiet(cut.link, lost.link, flapped.link);
    cut.link.cut();
    await fixture.expire(lost);
    await lost.states.first(({ epoch }) => epoch === 2);
    flapped.link.flap();
    await one.coordinator.barrier('a').open();
    await one.coordinator.barrier('a').close();
    cut.link.heal();
    for (const waited of waiting) expect(await soon('passing', waited)).toMatchObject({ rejected: false });
  });

  scenario(
    'BARR-13',
    'carries out once what lost its reply, and undoes nothing that others did since',
    async (fixture) => {
      const [one, other] = (await fixture.clients(2)) as [Client, Client];
      const store = await fixture.store();
      for (const first of ['close', 'open'] as const) {
        const then = first === 'close' ? 'open' : 'close';
        await other.coordinator.barrier('a')[then]();
        afterRequest(one, 'get', () => one.link.swallowReplies());
        const calling = outcome(one.coordinator.barrier('a')[first]());
        await eventually(async () =>
          expect(textOf(await store.get('barrier/a'))).toContain(`"closed":${String(first === 'close')}`),
        );
        await other.coordinator.barrier('a')[then]();
        one.link.heal();
        expect(await soon(first, calling)).toMatchObject({ rejected: false });
        const waited = await outcome(
          other.coordinator.barrier('a').wait({ timeoutMs: then === 'open' ? 10_000 : 200 }),
        );
        expect(waited.rejected).toBe(then === 'close');
      }
    },
  );

  scenario('BARR-14', 'does not carry out late what was given up, once another call was answered', async (fixture) => {
    const [late, one] = (await fixture.clients(2)) as [Client, Client];
    for (const first of ['close', 'open'] as const) {
      const then = first === 'close' ? 'open' : 'close';
      await one.coordinator.barrier('a')[then]();
      const { requests } = late.coordinator.traffic;
      afterRequest(late, 'get', () => late.link.holdRequests());
      const timed = outcome(late.coordinator.barrier('a')[first]({ timeoutMs: fixture.requestMs / 4 }));
      await fixture.sent(late.coordinator, requests + 1);
      expect((await timed).reason).toMatchObject({ code: 'TIMEOUT' });
      await one.coordinator.barrier('a')[then]();
      await late.link.deliverHeld();
      await late.states.settles(({ state }) => state === 'connected');
      await quiet(late.link, one.link);
      await expectDone(then, one.coordinator.barrier('a'));
    }
  });

  scenario('BARR-15', 'tells what nobody of us wrote, and does not pass', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const store = await fixture.store();
    for (const foreign of ['open', '{}', '{"round":1}', '{"round":-1,"closed":false}']) {
      await store.store('barrier/a', foreign);
      for (const call of ['wait', 'open', 'close'] as const)
        await expect(one.coordinator.barrier('a')[call]()).rejects.toMatchObject({ code: 'BACKEND' });
    }
    await other.coordinator.barrier('b').close();
    const waiting = outcome(other.coordinator.barrier('b').wait());
    await quiet(other.link);
    await store.store('barrier/b', 'open');
    expect((await waiting).reason).toMatchObject({ code: 'BACKEND' });
    await store.delete('barrier/a');
    await one.coordinator.barrier('a').wait({ timeoutMs: 10_000 });
  });

  scenario('BARR-21', 'keeps waiting when the store went back to an earlier closed round', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const store = await fixture.store();
    await store.store('barrier/a', '{"round":3,"closed":true}');
    const waiting = other.coordinator.barrier('a').wait();
    await quiet(other.link);
    await store.store('barrier/a', '{"round":2,"closed":true}');
    await holdsUp(fixture, [waiting]);
    // The round that it saw then counts, also if it is told late.
    other.link.cut();
    await one.coordinator.barrier('a').open();
    await one.coordinator.barrier('a').close();
    other.link.heal();
    await soon('passing', waiting);
  });

  scenario.alone('BARR-16', 'keeps every limit with the store frozen, and goes on after it thawed', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const { coordinator } = other;
    await one.coordinator.barrier('a').close();
    const inside = coordinator.doubleBarrier('alone', 1);
    await inside.enter();
    const patient = [
      coordinator.barrier('a').wait(),
      coordinator.doubleBarrier('a', 2).enter(),
      coordinator.rendezvous('a').wait(),
    ].map((wait) => outcome<unknown>(wait));
    await quiet(other.link);
    await fixture.server.freeze();
    const from = performance.now();
    const limit = { timeoutMs: 400 };
    const limited = await Promise.all(
      [
        coordinator.barrier('a').wait(limit),
        coordinator.barrier('b').close(limit),
        coordinator.barrier('b').open(limit),
        coordinator.doubleBarrier('b', 2).enter(limit),
        inside.leave(limit),
        coordinator.rendezvous('b').publish(1, limit),
        coordinator.rendezvous('b').wait(limit),
      ].map((wait) => outcome<unknown>(wait)),
    );
    for (const { reason, at } of limited) {
      expect(reason).toMatchObject({ code: 'TIMEOUT' });
      expect(at - from).toBeLessThan(1_500);
    }
    await fixture.server.thaw();
    await one.coordinator.barrier('a').open();
    await one.coordinator.doubleBarrier('a', 2).enter();
    const publication = await one.coordinator.rendezvous('a').publish('met');
    const ended = await soon('going on', Promise.all(patient));
    expect(ended.map(({ value }) => value)).toEqual([undefined, undefined, 'met']);
    expect(ended.map(({ rejected }) => rejected)).toEqual([false, false, false]);
    await publication.withdraw();
    const store = await fixture.store();
    await eventually(async () => {
      expect(textOf(await store.get('double/b')) ?? '"members":[]').toContain('"members":[]');
      expect(textOf(await store.get('double/alone'))).toContain('"members":[]');
      expect(textOf(await store.get('meet/b')) ?? '{}\n').toBe('{}\n');
    });
  });
});

/** It was closed, or opened, and is still. */
async function expectDone(call: 'close' | 'open', barrier: Barrier): Promise<void> {
  if (call === 'open') await soon('passing', barrier.wait());
  else await expect(barrier.wait({ timeoutMs: 200 })).rejects.toMatchObject({ code: 'TIMEOUT' });
}
