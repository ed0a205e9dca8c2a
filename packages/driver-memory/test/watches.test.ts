import type { Child, Register } from '@concordat/core/spi';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStore } from '../src/index.js';
import { bytes, Client, text } from './client.js';
import { ManualClock, settled } from './manual-clock.js';

describe('watches of the memory backend', () => {
  let clock: ManualClock;
  let store: MemoryStore;

  beforeEach(() => {
    clock = new ManualClock();
    store = new MemoryStore({ clock });
  });
  afterEach(() => store.close());

  const connected = () => Client.connected(store, clock);

  it('show the present state, then newer ones, and never repeat one over a reconnect', async () => {
    const [client, other] = [await connected(), await connected()];
    const seen: (string | undefined)[] = [];
    const subscription = client.backend.watch('a').subscribe((register) => seen.push(text(register?.value)));
    await settled();
    await other.backend.put('a', bytes('1'), { expect: 'any' }, other.call());
    await settled();
    client.link.flap();
    await clock.advance(100);
    expect(client.phase).toBe('connected');
    expect(seen).toEqual([undefined, '1']);
    client.link.cut();
    await settled();
    await other.backend.put('a', bytes('2'), { expect: 'any' }, other.call());
    await other.backend.put('a', bytes('3'), { expect: 'any' }, other.call());
    client.link.heal();
    await clock.advance(1_000);
    expect(seen).toEqual([undefined, '1', '3']);
    subscription.unsubscribe();
    await settled();
    const { notifications } = client.link.wire;
    await other.backend.delete('a', {}, other.call());
    await settled();
    expect(client.link.wire.notifications).toBe(notifications);
  });

  it('are up to date by the time the session is connected again', async () => {
    const client = await connected();
    let latest: Register | null = null;
    client.backend.watch('a').subscribe((register) => {
      latest = register;
    });
    client.link.cut();
    await settled();
    store.write('app/a', bytes('new'));
    client.link.heal();
    let atConnected: string | undefined;
    client.session.observe(({ state }) => {
      if (state === 'connected') atConnected = text(latest?.value);
    });
    await clock.advance(1_000);
    expect(atConnected).toBe('new');
  });

  it('show children in line order, coalesced per tick', async () => {
    const client = await connected();
    const names: string[][] = [];
    const data: (readonly Child[])[] = [];
    client.backend
      .watchChildren('dir', { data: false })
      .subscribe((children) => names.push(children.map((c) => c.name)));
    client.backend.watchChildren('dir', { data: true }).subscribe((children) => data.push(children));
    await settled();
    for (const name of ['c', 'a', 'b']) store.write(`app/dir/${name}`, bytes('1'));
    store.write('app/dir/a/below', bytes('1'));
    await settled();
    expect(names).toEqual([[], ['c', 'a', 'b']]);
    store.write('app/dir/c', bytes('2'));
    await settled();
    expect(names).toHaveLength(2);
    expect(data.at(-1)?.map(({ name, register }) => [name, text(register?.value)])).toEqual([
      ['c', '2'],
      ['a', '1'],
      ['b', '1'],
    ]);
    store.deleteEntry('app/dir', 'c');
    store.write('app/dir/c', bytes('3'));
    await settled();
    expect(names.at(-1)).toEqual(['a', 'b', 'c']);
  });

  it('complete when the backend closes', async () => {
    const client = await connected();
    let completed = 0;
    const complete = { complete: () => completed++ };
    client.backend.watch('a').subscribe(complete);
    client.backend.watchChildren('a', { data: true }).subscribe(complete);
    client.backend
      .gone({ dir: 'a', name: 'b', kind: null, created: null, seen: null }, { touched: false })
      .subscribe(complete);
    await client.close();
    expect(completed).toBe(3);
  });
});
