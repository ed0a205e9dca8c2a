import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStore } from '../src/index.js';
import { Client, codeOf } from './client.js';
import { ManualClock, settled } from './manual-clock.js';

describe('sessions of the memory backend', () => {
  let clock: ManualClock;
  let store: MemoryStore;

  beforeEach(() => {
    clock = new ManualClock();
    store = new MemoryStore({ clock });
  });
  afterEach(() => store.close());

  const connected = (sessionTimeoutMs?: number) => Client.connected(store, clock, sessionTimeoutMs);

  it('sends nothing while it is opened, connects in the background, and ends its session on close', async () => {
    const client = new Client(store, clock);
    expect(store.sessions).toEqual([]);
    expect(client.phase).toBe('connecting');
    await settled();
    expect(client.phases).toEqual(['connecting 1', 'connected 1']);
    expect(store.keys).toEqual([`app/session/${client.id}`]);
    await client.close();
    expect(store.sessions).toEqual([]);
    expect(store.keys).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('stays connected for as long as its heartbeats are answered', async () => {
    const client = await connected(12_000);
    await clock.advance(60_000);
    expect(client.phases).toEqual(['connecting 1', 'connected 1']);
    // The opening, and one every 2 s.
    expect(client.backend.traffic).toEqual({ requests: 0, heartbeats: 31, notifications: 0 });
    await client.close();
  });

  it('confirms by a heartbeat sent after the call', async () => {
    const client = await connected();
    await client.backend.confirm(client.call());
    expect(client.backend.traffic.heartbeats).toBe(2);
    await client.close();
    expect(await codeOf(client.backend.confirm(client.call()))).toBe('CLOSED');
  });

  it('closes while the session is being opened without leaving one behind', async () => {
    const client = new Client(store, clock);
    await new Promise((resolve) => setImmediate(resolve));
    await client.close();
    expect(store.sessions).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('opens another session when the answer to the first one comes too late to live in it', async () => {
    const client = new Client(store, clock, 4_000);
    client.link.holdRequests();
    await settled();
    // As a paused process finds it: the time is gone, and no timer of its own has run.
    clock.jump(3_900);
    client.link.heal();
    await settled();
    expect(client.phases).toEqual(['connecting 1', 'connected 1']);
    expect(store.sessions).toEqual([client.id]);
    await client.close();
    expect(clock.pending).toBe(0);
  });

  it('closes within its limit when nobody answers', async () => {
    const client = await connected();
    client.link.blackhole();
    const closed = client.backend.close(1_000);
    await clock.advance(1_000);
    await closed;
    client.session.close();
  });
});
