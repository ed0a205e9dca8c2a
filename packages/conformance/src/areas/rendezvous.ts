import { bytes, type Publication, text } from '@concordat/core';
import { expect } from 'vitest';
import { codeOf, nextTurn, outcome, soon } from '../eventually.js';
import type { Client } from '../fixture.js';
import { area } from '../scenario.js';
import { type StoreClient, textOf } from '../store-client.js';
import { holdsUp } from '../waits.js';
import { quiet } from '../wire-tally.js';

/** Meeting points: docs/spec/rendezvous.md. */
export const rendezvous = area('rendezvous', (scenario) => {
  scenario('MEET-01', 'hands out what is published, and what will be', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const waiting = other.coordinator.rendezvous('a').wait();
    await holdsUp(fixture, [waiting]);
    const publication = await one.coordinator.rendezvous('a').publish({ host: 'here', port: 1 });
    expect(await soon('meeting', waiting)).toEqual({ host: 'here', port: 1 });
    expect(await other.coordinator.rendezvous('a').wait({ timeoutMs: 10_000 })).toEqual({ host: 'here', port: 1 });
    expect(publication.signal.aborted).toBe(false);
  });

  scenario('MEET-02', 'hands it out to everybody, through the codec', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const waiting = [one, other, other].map(({ coordinator }) => coordinator.rendezvous('a', text).wait());
    const value = 'ein Wert\nin zwei Zeilen {"id":1} ✓';
    await one.coordinator.rendezvous('a', text).publish(value);
    expect(await soon('meeting', Promise.all(waiting))).toEqual([value, value, value]);
    const raw = Uint8Array.of(10, 0, 255, 10);
    await one.coordinator.rendezvous('b', bytes).publish(raw);
    expect(await other.coordinator.rendezvous('b', bytes).wait()).toEqual(raw);
  });

  scenario(
    'MEET-03',
    'refuses to publish while a live publication stands, and lets one of several in',
    async (fixture) => {
      const clients = await fixture.clients(3);
      const [one, other] = clients as [Client, Client, Client];
      await one.coordinator.rendezvous('a').publish(1);
      for (const { coordinator } of [one, other])
        await expect(coordinator.rendezvous('a').publish(2)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
      expect(await other.coordinator.rendezvous('a').wait()).toBe(1);
      for (const name of ['b', 'c', 'd']) {
        const tries = clients.map(({ coordinator }, index) => outcome(coordinator.rendezvous(name).publish(index)));
        const ended = await Promise.all(tries);
        expect(ended.filter(({ rejected }) => !rejected)).toHaveLength(1);
        for (const { reason } of ended) if (reason !== undefined) expect(codeOf(reason)).toBe('ALREADY_EXISTS');
        const first = ended.findIndex(({ rejected }) => !rejected);
        expect(await other.coordinator.rendezvous(name).wait()).toBe(first);
      }
    },
  );

  scenario('MEET-04', 'ends with its withdrawal at once, and only itself', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const store = await fixture.store();
    const first = await one.coordinator.rendezvous('a').publish(1);
    const withdrawing = first.withdraw();
    expect(first.signal.reason).toMatchObject({ code: 'NOT_HELD' });
    await withdrawing;
    expect(await published(store)).toBe(false);
    const second = await other.coordinator.rendezvous('a').publish(2);
    await Promise.all([first.withdraw(), first.withdraw(), first[Symbol.asyncDispose]()]);
    expect(await one.coordinator.rendezvous('a').wait()).toBe(2);
    expect(second.signal.aborted).toBe(false);
    await second[Symbol.asyncDispose]();
    expect(await published(store)).toBe(false);
  });

  scenario('MEET-05', 'goes on with one publication after the other', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    for (let round = 0; round < 8; round++) {
      const waiting = [one, other].map(({ coordinator }) => coordinator.rendezvous('a').wait());
      if (round % 2 === 0) await quiet(other.link);
      const publication = await (round % 3 === 0 ? one : other).coordinator.rendezvous('a').publish(round);
      expect(await soon('meeting', Promise.all(waiting))).toEqual([round, round]);
      await publication.withdraw();
    }
  });

  scenario('MEET-06', 'never hands out what was withdrawn before the call', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    for (let round = 0; round < 15; round++) {
      // It keeps a watch open, whose last value a wait must not take for an answer.
      const giveUp = new AbortController();
      const before = outcome(other.coordinator.rendezvous('a').wait({ signal: giveUp.signal }));
      if (round % 2 === 0) await quiet(other.link);
      const publication = await one.coordinator.rendezvous('a').publish(round);
      await publication.withdraw();
      const after = other.coordinator.rendezvous('a').wait();
      let value: unknown = null;
      void after.then((met) => (value = met));
      for (let turn = 0; turn < 20; turn++) {
        await nextTurn();
        expect(value).toBe(null);
      }
      const next = await one.coordinator.rendezvous('a').publish('next');
      expect(await soon('meeting', after)).toBe('next');
      giveUp.abort();
      await before;
      await next.withdraw();
    }
  });

  scenario('MEET-07', 'keeps names apart', async (fixture) => {
    const { coordinator } = await fixture.client();
    const names = ['a', 'a/b', 'a%2Fb', '..'];
    for (const name of names) await coordinator.rendezvous(name).publish(name);
    for (const name of names) expect(await coordinator.rendezvous(name).wait()).toBe(name);
    expect(() => coordinator.rendezvous('')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    const unknown: object = { timeout: 5 };
    await expect(coordinator.rendezvous('a').wait(unknown)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(coordinator.rendezvous('b').publish(1, unknown)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  scenario(
    'MEET-08',
    'refuses what cannot be stored before it sends anything, and tells what cannot be read',
    async (fixture) => {
      const { coordinator, link } = await fixture.client();
      const before = link.wire.writes;
      await expect(coordinator.rendezvous('a').publish(undefined)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      await expect(coordinator.rendezvous('a', text).publish('')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      const tooLarge = coordinator.rendezvous('a', bytes).publish(new Uint8Array(999_001));
      await expect(tooLarge).rejects.toMatchObject({ code: 'TOO_LARGE' });
      expect(await fixture.keys()).not.toContain('meet/a');
      expect(link.wire.writes).toBe(before);
      await coordinator.rendezvous('b', bytes).publish(new Uint8Array(999_000).fill(1));
      expect(await coordinator.rendezvous('b', bytes).wait()).toHaveLength(999_000);
      await expect(coordinator.rendezvous('b').wait()).rejects.toMatchObject({ code: 'BACKEND' });
      const store = await fixture.store();
      for (const foreign of ['here', 'no header\n1', '{"id":1}\n1', '{"id":"a"}\n1']) {
        await store.store('meet/c', foreign);
        await expect(coordinator.rendezvous('c').wait()).rejects.toMatchObject({ code: 'BACKEND' });
        await expect(coordinator.rendezvous('c').publish(1)).rejects.toMatchObject({ code: 'BACKEND' });
      }
    },
  );

  scenario('MEET-30', 'costs two requests, and one notification for each coordinator that waits', async (fixture) => {
    const [one, other] = (await fixture.clients(2)) as [Client, Client];
    const { coordinator } = one;
    await (await coordinator.rendezvous('a').publish(0)).withdraw();
    let { requests } = coordinator.traffic;
    const counted = (): number => {
      const sent = coordinator.traffic.requests - requests;
      ({ requests } = coordinator.traffic);
      return sent;
    };
    const publication: Publication = await coordinator.rendezvous('a').publish(1);
    expect(counted()).toBe(2);
    await coordinator.rendezvous('a').wait();
    expect(counted()).toBe(2);
    await publication.withdraw();
    expect(counted()).toBeLessThanOrEqual(3);
    const waiters = 20;
    const waiting = Array.from({ length: waiters }, () => other.coordinator.rendezvous('a').wait());
    await quiet(other.link);
    const before = other.coordinator.traffic;
    const heard = { requests: before.requests, notifications: before.notifications };
    await coordinator.rendezvous('a').publish(2);
    await Promise.all(waiting);
    expect(other.coordinator.traffic.notifications - heard.notifications).toBe(1);
    // Two reads for each; and where a watch is re-armed with a read, that.
    expect(other.coordinator.traffic.requests - heard.requests).toBeLessThanOrEqual(2 * waiters + 3);
  });
});

async function published(store: StoreClient, name = 'a'): Promise<boolean> {
  return textOf(await store.get(`meet/${name}`))?.startsWith('{"id":') ?? false;
}
