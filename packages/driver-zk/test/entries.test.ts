import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from './support/eventually.js';
import { bytes, call, collect, type Opened, openConnected, text } from './support/open.js';
import { TestProxy } from './support/proxy.js';
import { TestServer } from './support/server.js';
import { connected } from './wire/support/connecting.js';

const nearest = { limit: 2 };

describe('entries', () => {
  let server: TestServer;
  let one: Opened;
  let other: Opened;
  let dir: string;
  let dirs = 0;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    dirs += 1;
    dir = `lock/${String(dirs)}`;
    [one, other] = await Promise.all([openConnected([server.port]), openConnected([server.port])]);
  });
  afterEach(async () => {
    await Promise.all([one.close(), other.close()]);
  });

  const enter = (opened: Opened, signal = new AbortController().signal) =>
    opened.backend.enter(dir, 'lock', bytes('me'), nearest, { epoch: opened.session.epoch, signal });

  it('answers the nearest entries ahead, and tokens that rise along the line', async () => {
    const first = await enter(one);
    const second = await enter(other);
    const third = await enter(one);
    const fourth = await enter(other);
    expect(first.ahead).toEqual([]);
    expect(fourth.ahead.map(({ name }) => name)).toEqual([second.entry.name, third.entry.name]);
    const tokens = [first, second, third, fourth].map(({ entry }) => entry.created);
    expect([...tokens].sort((a, b) => Number(a - b))).toEqual(tokens);
    expect(first.entry.name).toMatch(/^_c_[0-9a-f-]{36}-lock-\d{10}$/);
    expect(await other.backend.first(dir, call())).toMatchObject({ name: first.entry.name, kind: 'lock' });
  });

  it('knows the transaction that created its entry, however others come and go meanwhile', async () => {
    const truth = async (name: string): Promise<bigint | undefined> => {
      const line = collect(one.backend.watchChildren(dir, { data: true }));
      await eventually(() => line.last()?.some((child) => child.name === name) ?? false);
      const found = line.last()?.find((child) => child.name === name)?.register?.created;
      line.stop();
      return found;
    };
    for (let turn = 0; turn < 60; turn += 1) {
      // Quiet, beside one who comes, beside one who goes, and beside one who does both.
      const standing = turn % 4 >= 2 ? [await enter(other)] : [];
      const coming = turn % 2 === 1 ? [enter(other)] : [];
      const going = standing.map(({ entry }) => other.backend.leave(entry, call()));
      const { entry } = await enter(one);
      expect(entry.created).toBe(await truth(entry.name));
      await Promise.all(going);
      const came = await Promise.all(coming);
      await Promise.all([one.backend.leave(entry, call()), ...came.map((p) => other.backend.leave(p.entry, call()))]);
    }
  });

  it('tells that an entry is gone with one notification and no request', async () => {
    const held = await enter(one);
    const waiting = await enter(other);
    const [predecessor] = waiting.ahead;
    if (predecessor === undefined) throw new Error('nobody ahead');
    const gone = collect(other.backend.gone(predecessor, { touched: false }));
    const entered = one.backend.traffic.requests;
    const mine = collect(one.backend.gone(held.entry, { touched: false }));
    await eventually(() => one.backend.traffic.requests > entered);
    await one.backend.confirm(call());
    await other.backend.confirm(call());
    const before = { requests: other.backend.traffic.requests, notifications: other.backend.traffic.notifications };
    const ownRequests = one.backend.traffic.requests;
    await one.backend.leave(held.entry, call());
    await eventually(() => gone.last() === 'gone' && mine.last() === 'gone');
    expect(other.backend.traffic).toMatchObject({
      requests: before.requests,
      notifications: before.notifications + 1,
    });
    expect(one.backend.traffic.requests - ownRequests).toBe(1);
    expect(await other.backend.ahead(waiting.entry, nearest, call())).toEqual([]);
  });

  it('costs two requests in one flight to enter, whoever else is there, and one to leave', async () => {
    const requestsOf = async <Value>(work: () => Promise<Value>): Promise<readonly [number, Value]> => {
      const { requests } = one.backend.traffic;
      const value = await work();
      return [one.backend.traffic.requests - requests, value];
    };
    const stranger = await enter(other);
    const [behind, place] = await requestsOf(() => enter(one));
    expect(behind).toBe(2);
    expect(place.entry.created).toBeGreaterThan(stranger.entry.created);
    const [left] = await requestsOf(() => one.backend.leave(place.entry, call()));
    expect(left).toBe(1);
    expect(await one.backend.ahead(place.entry, nearest, call())).toBeNull();
    await one.backend.leave(place.entry, call());
    await expect(one.backend.update(place.entry, bytes('x'), call())).rejects.toMatchObject({ code: 'GRANT_LOST' });
  });

  it('tells an update of an entry as touched, and keeps its place', async () => {
    const first = await enter(one);
    const second = await enter(other);
    const touched = collect(other.backend.gone(first.entry, { touched: true }));
    const untouched = collect(other.backend.gone(first.entry, { touched: false }));
    await one.backend.update(first.entry, bytes('new'), call());
    await eventually(() => touched.last() === 'touched');
    expect(untouched.values).toEqual([]);
    expect(text((await other.backend.first(dir, call()))?.register?.value)).toBe('new');
    expect((await other.backend.ahead(second.entry, nearest, call()))?.map(({ name }) => name)).toEqual([
      first.entry.name,
    ]);
    untouched.stop();
  });

  it('shows an empty entry that was made by hand and belongs to nobody as the first of its line', async () => {
    const { entry } = await enter(one);
    await one.backend.leave(entry, call());
    const byHand = 'made-by-hand-lock-0000000000';
    const operator = await connected(server.port);
    expect(await operator.create(`/test/ns/${dir}/${byHand}`, bytes(''), 'persistent')).toMatchObject({ ok: true });
    const behind = await enter(one);
    expect(behind.ahead.map(({ name }) => name)).toEqual([byHand]);
    expect(await other.backend.first(dir, call())).toMatchObject({ name: byHand, kind: null, register: null });
  });

  it('orders entries of foreign clients by their sequence, and ignores names without one', async () => {
    const first = await enter(one);
    await one.backend.put(`${dir}/config`, bytes('x'), { expect: 'absent' }, call());
    await one.backend.put(
      `${dir}/0123456789abcdef0123456789abcdef__lock__-000000005`,
      bytes('x'),
      { expect: 'absent' },
      call(),
    );
    const second = await enter(other);
    expect(second.ahead.map(({ name }) => name)).toEqual([first.entry.name]);
    const readers = await one.backend.enter(
      dir,
      'read',
      bytes('r'),
      { of: 'write', limit: 2 },
      {
        epoch: one.session.epoch,
        signal: new AbortController().signal,
      },
    );
    expect(readers.ahead).toEqual([]);
  });

  it('finds the entry of a create whose reply was lost: exactly one, over 20 losses', async () => {
    const proxy = await TestProxy.start(server.port);
    const client = await openConnected([proxy.port], { sessionTimeoutMs: 6_000 });
    await enter(client);
    for (let round = 0; round < 20; round += 1) {
      const before = await one.backend.children(dir, call());
      proxy.swallowReplies = true;
      const entering = enter(client);
      await eventually(async () => (await one.backend.children(dir, call())).length === before.length + 1);
      proxy.swallowReplies = false;
      proxy.flap();
      const place = await entering;
      const after = await one.backend.children(dir, call());
      expect(after.filter((name) => !before.includes(name))).toEqual([place.entry.name]);
    }
    expect(client.states.filter(({ state }) => state === 'lost')).toEqual([]);
    await client.close();
    await proxy.close();
  });

  it('creates the entry once when the request was lost on its way, and gives up when aborted', async () => {
    const proxy = await TestProxy.start(server.port);
    const client = await openConnected([proxy.port], { sessionTimeoutMs: 6_000 });
    await enter(client);
    proxy.swallowRequests = true;
    const entering = enter(client);
    const controller = new AbortController();
    const given = expect(enter(client, controller.signal)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    controller.abort();
    proxy.swallowRequests = false;
    proxy.flap();
    const place = await entering;
    await given;
    expect(await one.backend.children(dir, call())).toHaveLength(2);
    expect(place.ahead).toHaveLength(1);
    await client.close();
    await proxy.close();
    await eventually(async () => (await one.backend.children(dir, call())).length === 0);
  });

  it('rejects a call of an epoch that is over', async () => {
    const place = await enter(one);
    await expect(one.backend.leave({ ...place.entry, epoch: place.entry.epoch + 1 }, call())).rejects.toMatchObject({
      code: 'SESSION_LOST',
    });
  });
});
