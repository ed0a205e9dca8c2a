import type { Place } from '@concordat/core/spi';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStore } from '../src/index.js';
import { bytes, Client, codeOf, refOf } from './client.js';
import { ManualClock, settled } from './manual-clock.js';

describe('the memory backend under faults', () => {
  let clock: ManualClock;
  let store: MemoryStore;
  let client: Client;

  beforeEach(async () => {
    clock = new ManualClock();
    store = new MemoryStore({ clock });
    client = await Client.connected(store, clock, 12_000);
  });
  afterEach(() => store.close());

  const entries = (): readonly string[] => store.entries('app/lock/a');
  const enter = (signal?: AbortSignal): Promise<Place> =>
    client.backend.enter('lock/a', 'lock', bytes('1'), { limit: 1 }, client.context(signal));

  it('is suspended as soon as its connection is cut, and connected again by a confirmed heartbeat', async () => {
    client.link.cut();
    await settled();
    expect(client.phase).toBe('suspended');
    await clock.advance(3_000);
    client.link.heal();
    await clock.advance(500);
    expect(client.phases).toEqual(['connecting 1', 'connected 1', 'suspended 1', 'connected 1']);
    expect(store.sessions).toEqual([client.id]);
  });

  it('survives many flaps in one session', async () => {
    const { id } = client;
    for (let flap = 0; flap < 40; flap++) {
      client.link.flap();
      await clock.advance(100);
    }
    expect(client.phase).toBe('connected');
    expect(client.id).toBe(id);
  });

  it('is suspended after a third of silence, lost before the store ends it, and ends the old session before the next', async () => {
    const { id } = client;
    await enter();
    client.link.blackhole();
    await clock.advance(4_000);
    expect(client.phase).toBe('suspended');
    await clock.advance(7_399);
    expect(client.phase).toBe('suspended');
    expect(store.sessions).toEqual([id]);
    await clock.advance(1);
    expect(client.phase).toBe('connecting');
    expect(store.sessions).toEqual([id]);
    client.link.heal();
    await clock.advance(500);
    expect(client.phases.slice(-3)).toEqual(['lost 1', 'connecting 2', 'connected 2']);
    expect(store.sessions).toEqual([client.id]);
    expect(client.id).not.toBe(id);
    expect(entries()).toEqual([]);
  });

  it('counts no heartbeat whose reply is swallowed', async () => {
    const { id } = client;
    client.link.swallowReplies();
    await clock.advance(11_400);
    expect(client.session.epoch).toBe(2);
    // Requests arrive: the store kept the session until it was asked to end it.
    expect(store.sessions).not.toContain(id);
    client.link.heal();
    await clock.advance(500);
    expect(client.phase).toBe('connected');
    // Openings whose replies were swallowed own nothing, and expire.
    await clock.advance(13_000);
    expect(store.sessions).toEqual([client.id]);
  });

  it('is told at once when the store ends its session, before its entries go', async () => {
    const { entry } = await enter();
    const order: string[] = [];
    client.session.onLost(1, ({ code }) => order.push(code));
    client.backend.gone(refOf(entry), { touched: false }).subscribe((fate) => order.push(fate));
    await settled();
    store.expireSession(client.id);
    await settled();
    expect(order).toEqual(['SESSION_LOST', 'gone']);
    expect(client.phases.slice(-3)).toEqual(['lost 1', 'connecting 2', 'connected 2']);
  });

  it('declares the loss after a pause before it uses any reply', async () => {
    const read = codeOf(client.backend.get('a', 'linearizable', client.call()));
    clock.jump(12_000);
    expect(client.session.alive()).toBe(false);
    await read;
    await settled();
    expect(client.phases.slice(2, 4)).toEqual(['lost 1', 'connecting 2']);
    await clock.advance(1_000);
    expect(client.phase).toBe('connected');
  });

  it('rides out a frozen store that thaws in time', async () => {
    store.freeze();
    await clock.advance(6_000);
    expect(client.phase).toBe('suspended');
    store.thaw();
    await clock.advance(1_000);
    expect(client.phase).toBe('connected');
    expect(client.session.epoch).toBe(1);
  });

  it('keeps its session over a restart of the store', async () => {
    const { entry } = await enter();
    store.kill();
    await clock.advance(5_000);
    store.start();
    await clock.advance(1_000);
    expect(client.phases.at(-1)).toBe('connected 1');
    expect(await client.backend.ahead(entry, { limit: 1 }, client.call())).toEqual([]);
  });

  it('ends the epoch when the store went back', async () => {
    await enter();
    let reason = '';
    client.session.onLost(1, ({ message }) => {
      reason = message;
    });
    store.wipe();
    await clock.advance(1_000);
    expect(reason).toMatch(/went back in time/);
    expect(client.phases.at(-1)).toBe('connected 2');
    expect(entries()).toEqual([]);
  });

  it('finds the one entry of an enter whose reply was lost', async () => {
    client.link.swallowReplies();
    const entered = enter();
    await settled();
    expect(entries()).toHaveLength(1);
    client.link.heal();
    await clock.advance(1_000);
    const { entry } = await entered;
    expect(entries()).toEqual([entry.name]);
  });

  it('enters again under another name when the request was lost', async () => {
    client.link.blackhole();
    const entered = enter();
    await settled();
    client.link.heal();
    await clock.advance(1_000);
    const { entry } = await entered;
    expect(entries()).toEqual([entry.name]);
  });

  it('is not harmed by an enter that arrives after it was given up', async () => {
    client.link.holdRequests();
    const abort = new AbortController();
    const entered = codeOf(enter(abort.signal));
    await settled();
    const deliver = client.link.parkHeld();
    abort.abort();
    await clock.advance(1_000);
    expect(await entered).toBe('UNAVAILABLE');
    await deliver();
    expect(entries()).toEqual([]);
  });

  it('has one entry when a lost enter arrives after the next one', async () => {
    client.link.holdRequests();
    const entered = enter();
    await settled();
    const deliver = client.link.parkHeld();
    await clock.advance(1_000);
    const { entry } = await entered;
    await deliver();
    expect(entries()).toEqual([entry.name]);
    await client.backend.leave(entry, client.call());
    expect(entries()).toEqual([]);
  });

  it('resolves an enter that was given up when its entry is there', async () => {
    const abort = new AbortController();
    const entered = enter(abort.signal);
    abort.abort();
    const { entry } = await entered;
    expect(entries()).toEqual([entry.name]);
  });

  it('rejects an enter with SESSION_LOST when the epoch is over, and leaves nothing', async () => {
    client.link.holdRequests();
    const entered = codeOf(enter());
    await clock.advance(12_000);
    expect(await entered).toBe('SESSION_LOST');
    await client.link.deliverHeld();
    await clock.advance(1_000);
    expect(entries()).toEqual([]);
  });

  it('rejects an enter with CLOSED when the backend closes', async () => {
    client.link.blackhole();
    const entered = codeOf(enter());
    await settled();
    client.session.close();
    const closed = client.backend.close(1_000);
    await clock.advance(1_000);
    await closed;
    expect(await entered).toBe('CLOSED');
  });

  it('ends its session when it is closed during an outage that passes in time', async () => {
    await enter();
    client.link.cut();
    await settled();
    client.session.close();
    const closed = client.backend.close(4_000);
    await clock.advance(500);
    client.link.heal();
    await clock.advance(1_000);
    await closed;
    expect(store.sessions).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('delivers what was held when the link heals', async () => {
    client.link.holdRequests();
    const entered = enter();
    await settled();
    expect(entries()).toEqual([]);
    client.link.heal();
    await entered;
    expect(entries()).toHaveLength(1);
  });
});
