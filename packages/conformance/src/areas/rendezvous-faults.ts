import type { Rendezvous } from '@concordat/core';
import { expect } from 'vitest';
import { afterRequest } from '../after-request.js';
import { codeOf, eventually, nextTurn, outcome, soon, throughout } from '../eventually.js';
import type { Client } from '../fixture.js';
import { area } from '../scenario.js';
import { type StoreClient, textOf } from '../store-client.js';
import { holdsUp } from '../waits.js';
import { quiet } from '../wire-tally.js';

/** Meeting points on bad days: docs/spec/rendezvous.md. */
export const rendezvousFaults = area('rendezvous under faults', (scenario) => {
  // libkv#156 and pulsar#23889: what a dead one had said of itself was taken for true.
  scenario('MEET-10', 'never hands out the value of a dead publisher, and lets the next one in', async (fixture) => {
    const [dead, closed, one, other] = (await fixture.clients(4)) as [Client, Client, Client, Client];
    await dead.coordinator.rendezvous('a').publish('dead');
    await closed.coordinator.rendezvous('b').publish('closed');
    dead.link.cut();
    await fixture.expire(dead);
    await closed.coordinator.close();
    for (const name of ['a', 'b']) {
      const waiting = other.coordinator.rendezvous(name).wait();
      await holdsUp(fixture, [waiting]);
      await one.coordinator.rendezvous(name).publish('alive');
      expect(await soon('meeting', waiting)).toBe('alive');
    }
  });

  scenario('MEET-11', 'ends a publication with its session, after which it may be published again', async (fixture) => {
    const { coordinator, states } = await fixture.client();
    const publication = await coordinator.rendezvous('a').publish(1);
    await fixture.expire({ states });
    await eventually(() => expect(publication.signal.aborted).toBe(true));
    expect(publication.signal.reason).toMatchObject({ code: 'SESSION_LOST' });
    await soon('withdrawing', publication.withdraw());
    const again = await coordinator.rendezvous('a').publish(2, { timeoutMs: 20_000 });
    await publication.withdraw();
    expect(await coordinator.rendezvous('a').wait()).toBe(2);
    await coordinator.close();
    expect(again.signal.reason).toMatchObject({ code: 'CLOSED' });
    await soon('withdrawing', again.withdraw());
  });

  scenario('MEET-12', 'goes on waiting and publishing over a lost session', async (fixture) => {
    const [waiter, publisher] = (await fixture.clients(2)) as [Client, Client];
    const waiting = waiter.coordinator.rendezvous('a').wait();
    await quiet(waiter.link);
    await fixture.expire(waiter);
    await waiter.states.first(({ epoch }) => epoch === 2);
    publisher.link.cut();
    const publishing = publisher.coordinator.rendezvous('a').publish('late');
    await fixture.expire(publisher);
    publisher.link.heal();
    const publication = await soon('publishing', publishing);
    expect(await soon('meeting', waiting)).toBe('late');
    expect(publication.signal.aborted).toBe(false);
    expect(publisher.states.last?.epoch).toBe(2);
  });

  scenario('MEET-20', 'ends with abort, limit and close, and leaves no value', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const sent = link.wire.requests;
    const meeting = coordinator.rendezvous('a');
    const aborted = { signal: AbortSignal.abort('mine'), timeoutMs: 0 };
    for (const call of [meeting.publish(1, aborted), meeting.wait(aborted)])
      expect((await outcome<unknown>(call)).reason).toBe('mine');
    for (const call of [meeting.publish(1, { timeoutMs: 0 }), meeting.wait({ timeoutMs: 0 })])
      expect((await outcome<unknown>(call)).reason).toMatchObject({ code: 'TIMEOUT' });
    expect(link.wire.requests).toBe(sent);
    const from = performance.now();
    const timed = await outcome(meeting.wait({ timeoutMs: 400 }));
    expect(timed.reason).toMatchObject({ code: 'TIMEOUT' });
    expect(String(timed.reason)).toContain('rendezvous "a"');
    expect(timed.at - from).toBeGreaterThanOrEqual(399);
    expect(timed.at - from).toBeLessThan(1_500);
    await abortAtEachMoment(meeting);
    const store = await fixture.store();
    await eventually(async () => expect(await published(store)).toBe(false));
    await throughout(fixture.timeoutMs / 8, async () => expect(await published(store)).toBe(false));
    const closed = outcome(meeting.wait());
    await nextTurn();
    await coordinator.close();
    expect((await closed).reason).toMatchObject({ code: 'CLOSED' });
    await expect(meeting.publish(1)).rejects.toMatchObject({ code: 'CLOSED' });
  });

  scenario('MEET-21', 'keeps every limit with the connection cut or silent, and leaves no value', async (fixture) => {
    const [cut, silent] = (await fixture.clients(2)) as [Client, Client];
    cut.link.cut();
    silent.link.blackhole();
    const from = performance.now();
    const calls = [cut, silent].flatMap(({ coordinator }) => [
      coordinator.rendezvous('a').publish(1, { timeoutMs: 400 }),
      coordinator.rendezvous('a').wait({ timeoutMs: 400 }),
    ]);
    for (const { reason, at } of await Promise.all(calls.map((call) => outcome<unknown>(call)))) {
      expect(reason).toMatchObject({ code: 'TIMEOUT' });
      expect(at - from).toBeLessThan(1_500);
    }
    for (const { link } of [cut, silent]) link.heal();
    for (const { states } of [cut, silent]) await states.settles(({ state }) => state === 'connected');
    const store = await fixture.store();
    await throughout(fixture.timeoutMs / 8, async () => expect(await published(store)).toBe(false));
  });

  scenario('MEET-22', 'publishes once, and withdraws, what lost its reply', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const store = await fixture.store();
    // The directory is there, so that a publication is one write on every store.
    await other.coordinator.rendezvous('warm').publish(0);
    afterRequest(one, 'get', () => one.link.swallowReplies());
    const publishing = one.coordinator.rendezvous('a').publish('once');
    await eventually(async () => expect(await published(store)).toBe(true));
    one.link.heal();
    const publication = await soon('publishing', publishing);
    expect(await other.coordinator.rendezvous('a').wait()).toBe('once');
    expect(publication.signal.aborted).toBe(false);
    afterRequest(one, 'get', () => one.link.swallowReplies());
    const withdrawing = publication.withdraw();
    await eventually(async () => expect(await published(store)).toBe(false));
    one.link.heal();
    await soon('withdrawing', withdrawing);
    await other.coordinator.rendezvous('a').publish('next');
  });

  scenario('MEET-23', 'does not show what is applied after it was given up', async (fixture) => {
    const [late, one] = (await fixture.clients(2)) as [Client, Client];
    const store = await fixture.store();
    await one.coordinator.rendezvous('warm').publish(0);
    for (const name of ['a', 'b']) {
      if (name === 'b') await (await one.coordinator.rendezvous('b').publish(0)).withdraw();
      const { requests } = late.coordinator.traffic;
      afterRequest(late, 'get', () => late.link.holdRequests());
      const timed = outcome(late.coordinator.rendezvous(name).publish('late', { timeoutMs: fixture.requestMs / 4 }));
      await fixture.sent(late.coordinator, requests + 1);
      expect((await timed).reason).toMatchObject({ code: 'TIMEOUT' });
      await late.link.deliverHeld();
      await late.states.settles(({ state }) => state === 'connected');
      await eventually(async () => expect(textOf(await store.get(`meet/${name}`))).toBe('{}\n'));
      await throughout(fixture.timeoutMs / 8, async () => expect(await published(store, name)).toBe(false));
      await one.coordinator.rendezvous(name).publish('now', { timeoutMs: 10_000 });
    }
  });

  scenario('MEET-24', 'goes on withdrawing over an outage', async (fixture) => {
    const { coordinator, link } = await fixture.client();
    const publication = await coordinator.rendezvous('a').publish(1);
    link.cut();
    const withdrawing = publication.withdraw();
    await holdsUp(fixture, [withdrawing]);
    link.heal();
    await soon('withdrawing', withdrawing);
    expect(await published(await fixture.store())).toBe(false);
  });

  // The store may keep a session for a while that is lost for its own process: until then it would hand the value out.
  scenario('MEET-31', 'withdraws in the next session what the lost one left', async (fixture) => {
    const [lost, closed, away, other] = (await fixture.clients(4)) as [Client, Client, Client, Client];
    const publication = await lost.coordinator.rendezvous('a').publish(1);
    const ended = await closed.coordinator.rendezvous('b').publish(1);
    const unreachable = await away.coordinator.rendezvous('c').publish(1);
    for (const { link } of [lost, closed, away]) link.blackhole();
    const [withdrawing, ending] = [publication.withdraw(), ended.withdraw()];
    const givenUp = unreachable.withdraw();
    await Promise.all([lost, closed, away].map(({ states }) => states.first(({ state }) => state === 'lost')));
    await holdsUp(fixture, [withdrawing, ending, givenUp]);
    await closed.coordinator.close();
    await soon('ending with the close', ending);
    lost.link.heal();
    await soon('withdrawing', withdrawing);
    expect(await published(await fixture.store())).toBe(false);
    const early = outcome(other.coordinator.rendezvous('a').wait({ timeoutMs: 300 }));
    expect((await early).reason).toMatchObject({ code: 'TIMEOUT' });
    await lost.coordinator.rendezvous('a').publish(2, { timeoutMs: 10_000 });
    await soon('ending with the session', givenUp);
    await other.coordinator.rendezvous('c').publish(2, { timeoutMs: 10_000 });
  });
});

async function published(store: StoreClient, name = 'a'): Promise<boolean> {
  return textOf(await store.get(`meet/${name}`))?.startsWith('{"id":') ?? false;
}

async function abortAtEachMoment(meeting: Rendezvous<unknown>): Promise<void> {
  for (let turns = 0; turns < 30; turns++) {
    const caller = new AbortController();
    const publishing = outcome(meeting.publish(turns, { signal: caller.signal }));
    for (let turn = 0; turn < turns; turn++) await (turn % 2 === 0 ? Promise.resolve() : nextTurn());
    caller.abort('mine');
    const { value, reason } = await publishing;
    if (value !== undefined) await value.withdraw();
    // What an earlier one left may not be withdrawn yet.
    else expect(codeOf(reason) ?? reason).toMatch(/mine|ALREADY_EXISTS/);
  }
}
