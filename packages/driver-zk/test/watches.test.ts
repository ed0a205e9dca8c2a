import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from './support/eventually.js';
import { bytes, call, collect, type Opened, openConnected, text } from './support/open.js';
import { TestProxy } from './support/proxy.js';
import { TestServer } from './support/server.js';

describe('watches', () => {
  let server: TestServer;
  let proxy: TestProxy;
  let writer: Opened;
  let watcher: Opened;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    proxy = await TestProxy.start(server.port);
    [writer, watcher] = await Promise.all([
      openConnected([server.port], { sessionTimeoutMs: 12_000 }),
      openConnected([proxy.port], { sessionTimeoutMs: 12_000 }),
    ]);
  });
  afterEach(async () => {
    await Promise.all([writer.close(), watcher.close()]);
    await proxy.close();
  });

  const put = (key: string, value: string) => writer.backend.put(key, bytes(value), { expect: 'any' }, call());

  it('emits the state, each newer one once, and never an equal one, over deletion and creation', async () => {
    const seen = collect(watcher.backend.watch('config/w/a'));
    await eventually(() => seen.values.length === 1);
    await put('config/w/a', '1');
    await eventually(() => seen.values.length === 2);
    await writer.backend.delete('config/w/a', {}, call());
    await eventually(() => seen.values.length === 3);
    await put('config/w/a', '2');
    await eventually(() => seen.values.length === 4);
    expect(seen.values.map((register) => register && text(register.value))).toEqual([null, '1', null, '2']);
  });

  it('delivers the last state of a burst, never goes back, and catches up after each cut', async () => {
    const seen = collect(watcher.backend.watch('config/burst'));
    for (let round = 1; round <= 100; round += 1) {
      await put('config/burst', String(round));
      if (round % 10 === 0) proxy.flap();
    }
    await eventually(() => text(seen.last()?.value) === '100');
    const numbers = seen.values.flatMap((register) => (register === null ? [] : [Number(text(register.value))]));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(watcher.states.filter(({ state }) => state === 'lost')).toEqual([]);
  });

  it('follows the children of a directory that comes and goes, in order of creation', async () => {
    const seen = collect(watcher.backend.watchChildren('group/kids', { data: true }));
    const names = () => (seen.last() ?? []).map(({ name, register }) => `${name}=${text(register?.value)}`);
    await eventually(() => seen.values.length === 1);
    expect(seen.last()).toEqual([]);
    for (const name of ['z', 'a'])
      await writer.backend.put(`group/kids/${name}`, bytes('1'), { expect: 'absent', ephemeral: true }, call());
    await eventually(() => names().join() === 'z=1,a=1');
    await writer.backend.put('group/kids/z', bytes('2'), { expect: 'any' }, call());
    await eventually(() => names().join() === 'z=2,a=1');
    const owner = writer.session.state.id ?? '';
    await writer.backend.delete('group/kids/z', { owner }, call());
    await eventually(() => names().join() === 'a=1');
    await writer.backend.put('group/kids/z', bytes('3'), { expect: 'absent', ephemeral: true }, call());
    await eventually(() => names().join() === 'a=1,z=3');
  });

  it('costs two requests for a join, one for a leave or an update, and few snapshots for a burst', async () => {
    const owner = writer.session.state.id ?? '';
    const join = (name: string) =>
      writer.backend.put(`group/cost/${name}`, bytes('1'), { expect: 'absent', ephemeral: true }, call());
    await join('first');
    const seen = collect(watcher.backend.watchChildren('group/cost', { data: true }));
    await eventually(() => seen.last()?.length === 1);
    const cost = async (act: () => Promise<unknown>) => {
      const { requests } = watcher.backend.traffic;
      const { length } = seen.values;
      await act();
      await eventually(() => seen.values.length > length);
      await watcher.backend.confirm(call());
      return watcher.backend.traffic.requests - requests;
    };
    expect(await cost(() => join('second'))).toBe(2);
    expect(await cost(() => writer.backend.put('group/cost/second', bytes('2'), { expect: 'any' }, call()))).toBe(1);
    expect(await cost(() => writer.backend.delete('group/cost/second', { owner }, call()))).toBeLessThanOrEqual(2);
    const { length } = seen.values;
    await Promise.all(Array.from({ length: 100 }, (_, index) => join(String(index))));
    await eventually(() => seen.last()?.length === 101);
    expect(seen.values.length - length).toBeLessThan(30);
  });

  it('reads 10,000 children, and only their names where no data is asked for', async () => {
    const joins = Array.from({ length: 10_000 }, (_, index) =>
      writer.backend.put(`config/many/${String(index)}`, bytes('1'), { expect: 'absent' }, call()),
    );
    await Promise.all(joins);
    const names = collect(watcher.backend.watchChildren('config/many', { data: false }));
    await eventually(() => names.last()?.length === 10_000);
    const data = collect(watcher.backend.watchChildren('config/many', { data: true }));
    await eventually(() => data.last()?.length === 10_000);
    expect(data.values).toHaveLength(1);
    expect(await watcher.backend.children('config/many', call())).toHaveLength(10_000);
    expect(watcher.states.map(({ state }) => state)).toEqual(['connecting', 'connected']);
  });

  it('completes its streams when the backend closes', async () => {
    let completed = 0;
    watcher.backend.watch('config/c').subscribe({ complete: () => (completed += 1) });
    watcher.backend.watchChildren('config/c', { data: true }).subscribe({ complete: () => (completed += 1) });
    await watcher.close();
    expect(completed).toBe(2);
  });
});
