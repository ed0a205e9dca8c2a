import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStore } from '../src/index.js';
import { bytes, Client, codeOf, text } from './client.js';
import { ManualClock, settled } from './manual-clock.js';

describe('registers of the memory backend', () => {
  let clock: ManualClock;
  let store: MemoryStore;

  beforeEach(() => {
    clock = new ManualClock();
    store = new MemoryStore({ clock });
  });
  afterEach(() => store.close());

  const connected = () => Client.connected(store, clock);

  it('compares versions and carries the current register in a refusal', async () => {
    const { backend, call } = await connected().then((client) => ({
      backend: client.backend,
      call: () => client.call(),
    }));
    expect(await backend.get('config/a', 'linearizable', call())).toBe(null);
    const made = await backend.put('config/a', bytes('1'), { expect: 'absent' }, call());
    if (!made.stored) throw new Error('not stored');
    const again = await backend.put('config/a', bytes('2'), { expect: 'absent' }, call());
    expect(again).toEqual({ stored: false, current: made.register });
    const next = await backend.put('config/a', bytes('2'), { expect: made.register.version }, call());
    if (!next.stored) throw new Error('not stored');
    expect(next.register).toMatchObject({ created: made.register.created, owner: null });
    expect(next.register.version).toBeGreaterThan(made.register.version);
    expect(await backend.delete('config/a', { expect: made.register.version }, call())).toEqual({
      deleted: false,
      current: next.register,
    });
    expect(await backend.delete('config/a', { owner: 'somebody' }, call())).toMatchObject({ deleted: false });
    expect(await backend.delete('config/a', {}, call())).toEqual({ deleted: true });
    expect(await backend.delete('config/a', {}, call())).toEqual({ deleted: false, current: null });
    const reborn = await backend.put('config/a', bytes('3'), { expect: 'any' }, call());
    if (!reborn.stored) throw new Error('not stored');
    expect(reborn.register.version).toBeGreaterThan(next.register.version);
    expect(await backend.put('config/a', bytes('4'), { expect: next.register.version }, call())).toMatchObject({
      stored: false,
    });
  });

  it('lets a and a/b both hold values, and lists direct children only', async () => {
    const client = await connected();
    for (const key of ['config/b', 'config/a', 'config/a/x', 'config']) {
      await client.backend.put(key, bytes('1'), { expect: 'any' }, client.call());
    }
    expect(await client.backend.children('config', client.call())).toEqual(['a', 'b']);
    expect(await client.backend.children('none', client.call())).toEqual([]);
  });

  it('keeps the owner of an ephemeral register when it is overwritten', async () => {
    const [one, two] = [await connected(), await connected()];
    await one.backend.put('group/a', bytes('1'), { expect: 'absent', ephemeral: true }, one.call());
    const over = await two.backend.put('group/a', bytes('2'), { expect: 'any' }, two.call());
    expect(over).toMatchObject({ stored: true, register: { owner: one.id } });
    await one.close();
    expect(await two.backend.get('group/a', 'session', two.call())).toBe(null);
  });

  it('keeps its bytes to itself', async () => {
    const client = await connected();
    const value = bytes('abc');
    const put = client.backend.put('a', value, { expect: 'any' }, client.call());
    value[0] = 0;
    await put;
    const read = await client.backend.get('a', 'linearizable', client.call());
    expect(text(read?.value)).toBe('abc');
    read?.value.fill(0);
    expect(text((await client.backend.get('a', 'session', client.call()))?.value)).toBe('abc');
  });

  it('marks a call as sent, and costs one request', async () => {
    const client = await connected();
    const call = client.call();
    const before = client.backend.traffic.requests;
    const read = client.backend.get('a', 'linearizable', call);
    expect(call.sent).toBe(true);
    await read;
    expect(client.backend.traffic.requests - before).toBe(1);
  });

  it('rejects with UNAVAILABLE and sends nothing while there is no connection', async () => {
    const client = await connected();
    client.link.cut();
    await settled();
    const call = client.call();
    expect(await codeOf(client.backend.put('a', bytes('1'), { expect: 'any' }, call))).toBe('UNAVAILABLE');
    expect(call.sent).toBe(false);
  });

  it('tells a read whose reply was lost from a write', async () => {
    const client = await connected();
    client.link.swallowReplies();
    const read = codeOf(client.backend.get('a', 'linearizable', client.call()));
    const write = codeOf(client.backend.put('a', bytes('1'), { expect: 'any' }, client.call()));
    await settled();
    client.link.heal();
    expect(await read).toBe('UNAVAILABLE');
    expect(await write).toBe('OUTCOME_UNKNOWN');
    expect(store.keys).toContain('app/a');
  });
});
