import type { Place } from '@concordat/core/spi';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStore } from '../src/index.js';
import { bytes, Client, codeOf, refOf } from './client.js';
import { ManualClock, settled } from './manual-clock.js';

describe('entries of the memory backend', () => {
  let clock: ManualClock;
  let store: MemoryStore;

  beforeEach(() => {
    clock = new ManualClock();
    store = new MemoryStore({ clock });
  });
  afterEach(() => store.close());

  const connected = () => Client.connected(store, clock);
  const enter = (client: Client, kind: 'lock' | 'read' | 'write' = 'lock', limit = 1): Promise<Place> =>
    client.backend.enter('lock/a', kind, bytes('1'), { limit }, client.context());

  it('enter in one round trip and see who is ahead', async () => {
    const [one, two] = [await connected(), await connected()];
    const first = await enter(one);
    expect(first.ahead).toEqual([]);
    const second = await enter(two);
    expect(second.ahead).toEqual([
      { dir: 'lock/a', name: first.entry.name, kind: 'lock', created: first.entry.created, seen: null },
    ]);
    expect(second.entry.created).toBeGreaterThan(first.entry.created);
    expect(one.backend.traffic.requests).toBe(1);
    expect(await two.backend.ahead(second.entry, { limit: 1 }, two.call())).toEqual(second.ahead);
    const fates: string[] = [];
    const ahead = second.ahead[0];
    if (ahead === undefined) throw new Error('nobody ahead');
    two.backend.gone(ahead, { touched: false }).subscribe((fate) => fates.push(fate));
    await settled();
    await one.backend.update(first.entry, bytes('2'), one.call());
    await settled();
    expect(fates).toEqual([]);
    await one.backend.leave(first.entry, one.call());
    await one.backend.leave(first.entry, one.call());
    await settled();
    expect(fates).toEqual(['gone']);
    expect(await two.backend.ahead(second.entry, { limit: 1 }, two.call())).toEqual([]);
  });

  it('tell their kind, and a reader waits for writers only', async () => {
    const client = await connected();
    await enter(client, 'read');
    const writer = await enter(client, 'write', 2);
    await enter(client, 'read');
    const reader = await client.backend.enter(
      'lock/a',
      'read',
      bytes('1'),
      { of: 'write', limit: 2 },
      client.context(),
    );
    expect(reader.ahead.map(({ name }) => name)).toEqual([writer.entry.name]);
    const kinds: unknown[] = [];
    client.backend.watchChildren('lock/a', { data: false }).subscribe((children) => {
      kinds.push(...children.map(({ kind }) => kind));
    });
    await settled();
    expect(kinds).toEqual(['read', 'write', 'read', 'read']);
    expect(await client.backend.first('lock/a', client.call())).toMatchObject({ kind: 'read' });
    expect(await client.backend.first('lock/none', client.call())).toBe(null);
  });

  it('tell who was touched since it was created', async () => {
    const client = await connected();
    const { entry } = await enter(client);
    const fates: string[] = [];
    client.backend.gone(refOf(entry), { touched: true }).subscribe((fate) => fates.push(fate));
    await settled();
    await client.backend.update(entry, bytes('2'), client.call());
    await settled();
    client.backend.gone(refOf(entry), { touched: true }).subscribe((fate) => fates.push(fate));
    await settled();
    expect(fates).toEqual(['touched', 'touched']);
  });

  it('are missed when they were deleted by hand', async () => {
    const client = await connected();
    const { entry } = await enter(client);
    store.deleteEntry('app/lock/a', entry.name);
    expect(await client.backend.ahead(entry, { limit: 1 }, client.call())).toBe(null);
    expect(await codeOf(client.backend.update(entry, bytes('2'), client.call()))).toBe('GRANT_LOST');
    await client.backend.leave(entry, client.call());
  });
});
