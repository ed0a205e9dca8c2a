import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from './support/eventually.js';
import { bytes, call, collect, type Opened, open, openConnected, text } from './support/open.js';
import { TestServer } from './support/server.js';

describe('registers', () => {
  let server: TestServer;
  let one: Opened;
  let other: Opened;
  let key: string;
  let keys = 0;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    keys += 1;
    key = `config/${String(keys)}/deep/key`;
    [one, other] = await Promise.all([openConnected([server.port]), openConnected([server.port])]);
  });
  afterEach(async () => {
    await Promise.all([one.close(), other.close()]);
  });

  const put = async (opened: Opened, value: string, expectation: 'absent' | 'any' | bigint) => {
    const result = await opened.backend.put(key, bytes(value), { expect: expectation }, call());
    if (!result.stored) throw new Error('refused');
    return result.register;
  };

  it('keeps a compare from passing over a deletion and a new creation', async () => {
    const first = await put(one, 'a', 'absent');
    expect(await other.backend.delete(key, { expect: first.version }, call())).toEqual({ deleted: true });
    expect(await other.backend.get(key, 'session', call())).toBeNull();
    const second = await put(other, 'b', 'absent');
    const late = await one.backend.put(key, bytes('c'), { expect: first.version }, call());
    expect(late).toEqual({ stored: false, current: second });
    expect(second.version).toBeGreaterThan(first.version);
  });

  it('answers the same register from the write and from a read', async () => {
    const made = await put(one, 'a', 'absent');
    expect(await other.backend.get(key, 'linearizable', call())).toEqual({ ...made, value: bytes('a') });
    const changed = await put(one, 'b', made.version);
    expect(await other.backend.get(key, 'linearizable', call())).toEqual({ ...changed, value: bytes('b') });
    const any = await put(one, 'c', 'any');
    expect(any.version).toBeGreaterThan(changed.version);
    expect(any.created).toBe(made.created);
  });

  it('refuses a create over a value with the current register, and takes the place of an empty node', async () => {
    const made = await put(one, 'a', 'absent');
    const refused = await other.backend.put(key, bytes('b'), { expect: 'absent' }, call());
    expect(refused).toMatchObject({ stored: false, current: { version: made.version } });
    const parent = `config/${String(keys)}`;
    const above = await one.backend.put(parent, bytes('p'), { expect: 'absent' }, call());
    expect(above.stored).toBe(true);
    expect(await one.backend.delete(parent, {}, call())).toEqual({ deleted: true });
    expect(await one.backend.delete(parent, {}, call())).toEqual({ deleted: false, current: null });
    expect(text((await one.backend.get(key, 'linearizable', call()))?.value)).toBe('a');
  });

  it('puts anything over an absent key, and makes parents once for many', async () => {
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        one.backend.put(`fresh/${key}/${String(index)}`, bytes('x'), { expect: 'any' }, call()),
      ),
    );
    expect(results.every(({ stored }) => stored)).toBe(true);
    expect(await one.backend.children(`fresh/${key}`, call())).toEqual([...Array(10).keys()].map(String));
  });

  it('lists only children that hold a value', async () => {
    await put(one, 'a', 'absent');
    const dir = key.slice(0, key.lastIndexOf('/'));
    expect(await other.backend.children(dir, call())).toEqual(['key']);
    expect(await other.backend.children(dir.slice(0, dir.lastIndexOf('/')), call())).toEqual([]);
    await one.backend.delete(key, {}, call());
    expect(await other.backend.children(dir, call())).toEqual([]);
    expect(await other.backend.children('config/nowhere', call())).toEqual([]);
  });

  it('purges an empty node and never a value', async () => {
    await put(one, 'a', 'absent');
    await one.backend.purge(key, call());
    expect(await one.backend.get(key, 'session', call())).not.toBeNull();
    await one.backend.delete(key, {}, call());
    await one.backend.purge(key, call());
    await one.backend.purge(key, call());
    expect(await one.backend.delete(key, {}, call())).toEqual({ deleted: false, current: null });
  });

  it('lets an ephemeral register live and die with its session, and only its owner deletes it', async () => {
    const id = one.session.state.id ?? '';
    const made = await one.backend.put(
      `group/g/${String(keys)}`,
      bytes('a'),
      { expect: 'absent', ephemeral: true },
      call(),
    );
    expect(made).toMatchObject({ stored: true, register: { owner: id } });
    const overwritten = await other.backend.put(`group/g/${String(keys)}`, bytes('b'), { expect: 'any' }, call());
    expect(overwritten).toMatchObject({ stored: true, register: { owner: id } });
    const refused = await other.backend.delete(
      `group/g/${String(keys)}`,
      { owner: other.session.state.id ?? '' },
      call(),
    );
    expect(refused).toMatchObject({ deleted: false, current: { owner: id } });
    const seen = collect(other.backend.watch(`group/g/${String(keys)}`));
    await eventually(() => seen.values.length === 1);
    await one.close();
    await eventually(() => seen.last() === null);
    seen.stop();
    one = open([server.port]);
  });

  it('deletes an ephemeral register by unlinking it', async () => {
    const member = `group/h/${String(keys)}`;
    await one.backend.put(member, bytes('a'), { expect: 'absent', ephemeral: true }, call());
    expect(await one.backend.delete(member, { owner: one.session.state.id ?? '' }, call())).toEqual({ deleted: true });
    await one.backend.put(member, bytes('b'), { expect: 'absent', ephemeral: true }, call());
    expect(await one.backend.delete(member, {}, call())).toEqual({ deleted: true });
    expect(await one.backend.children('group/h', call())).toEqual([]);
  });

  it('stores 1,000,000 bytes, and never sends what would cost the connection', async () => {
    const large = new Uint8Array(1_000_000).fill(7);
    await one.backend.put(key, large, { expect: 'absent' }, call());
    const read = await other.backend.get(key, 'linearizable', call());
    expect(Buffer.compare(read?.value ?? new Uint8Array(), large)).toBe(0);
    const tooLarge = one.backend.put(key, new Uint8Array(1_100_000), { expect: 'any' }, call());
    await expect(tooLarge).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(one.states.map(({ state }) => state)).toEqual(['connecting', 'connected']);
  });

  it('serves all linearizable reads of one turn with one heartbeat', async () => {
    await put(one, 'a', 'absent');
    const { heartbeats, requests } = one.backend.traffic;
    await Promise.all([1, 2, 3, 4].map(() => one.backend.get(key, 'linearizable', call())));
    expect(one.backend.traffic.heartbeats - heartbeats).toBeLessThanOrEqual(2);
    expect(one.backend.traffic.requests - requests).toBe(4);
  });

  it('refuses what ZooKeeper refuses in a path, and stays connected', async () => {
    const refused = one.backend.put('config//x', bytes('a'), { expect: 'any' }, call());
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await one.backend.get(key, 'session', call())).toBeNull();
  });
});
