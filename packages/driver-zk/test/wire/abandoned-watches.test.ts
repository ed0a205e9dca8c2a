import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { collect, type Opened } from '../support/open.js';
import { TestServer } from '../support/server.js';
import { openPair, put, shown, watchedPaths } from './support/watching.js';

// Sessions of 6 s, so that a heartbeat comes every second.
const sessionTimeoutMs = 6_000;

/** Waits for the next regular heartbeat, with which abandoned watches are taken back. */
async function beat({ backend }: Opened): Promise<void> {
  const { heartbeats } = backend.traffic;
  await eventually(() => backend.traffic.heartbeats > heartbeats);
}

describe('watches that nobody asks for any more', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const watchedBelow = async (dir: string) =>
    (await watchedPaths(server)).filter((path) => path.includes(`/${dir}/`)).length;

  it('are taken back by the next heartbeat, of nodes that are there and of missing ones', async () => {
    const { watcher, writer } = await openPair(server, sessionTimeoutMs);
    const keys = Array.from({ length: 200 }, (_, index) => `config/left/${String(index)}`);
    await Promise.all(keys.slice(0, 100).map((key) => put(writer, key, '1')));
    const streams = keys.map((key) => shown(watcher, key));
    await eventually(() => streams.every(({ values }) => values.length === 1));
    expect(await watchedBelow('left')).toBe(200);
    for (const { stop } of streams.slice(10)) stop();
    await eventually(async () => (await watchedBelow('left')) === 10, 3_000);
    await put(writer, 'config/left/9', '2');
    await eventually(() => streams[9]?.values.length === 2);
    expect(streams[10]?.values).toEqual(['1']);
  });

  it('of a list are taken back too', async () => {
    const { watcher, writer } = await openPair(server, sessionTimeoutMs);
    await put(writer, 'config/list/a', '1');
    const seen = collect(watcher.backend.watchChildren('config/list', { data: true }));
    await eventually(() => seen.values.length === 1);
    seen.stop();
    await beat(watcher);
    await beat(watcher);
    const { notifications } = watcher.backend.traffic;
    await put(writer, 'config/list/b', '1');
    await put(writer, 'config/list/a', '2');
    await beat(watcher);
    expect(watcher.backend.traffic.notifications).toBe(notifications);
  });

  it('are kept where somebody asks again, before or after that heartbeat, or never left', async () => {
    const { watcher, writer } = await openPair(server, sessionTimeoutMs);
    const keys = ['before', 'after', 'shared'].map((name) => `config/again/${name}`);
    await Promise.all(keys.map((key) => put(writer, key, '1')));
    const [before, after, shared] = keys.map((key) => shown(watcher, key));
    const other = shown(watcher, keys[2] ?? '');
    await eventually(() => [before, after, shared, other].every((stream) => stream?.values.length === 1));
    for (const stream of [before, after, shared]) stream?.stop();
    const again = shown(watcher, keys[0] ?? '');
    await eventually(async () => (await watchedBelow('again')) === 2, 3_000);
    const later = shown(watcher, keys[1] ?? '');
    await eventually(() => later.values.length === 1);
    await beat(watcher);
    expect(await watchedBelow('again')).toBe(3);
    await Promise.all(keys.map((key) => put(writer, key, '2')));
    await eventually(() => [again, later, other].every(({ values }) => values.length === 2));
    expect([before, after, shared].map((stream) => stream?.values)).toEqual([['1'], ['1'], ['1']]);
  });

  it('are taken back also where a heartbeat came while their first reads were on their way', async () => {
    const { watcher, writer, proxy } = await openPair(server, sessionTimeoutMs);
    const keys = ['a', 'b', 'c', 'd'].map((name) => `config/first/${name}`);
    await Promise.all(keys.slice(0, 2).map((key) => put(writer, key, '1')));
    proxy.hold();
    const { requests } = watcher.backend.traffic;
    const streams = keys.map((key) => shown(watcher, key));
    await eventually(() => watcher.backend.traffic.requests === requests + keys.length);
    for (const { stop } of streams) stop();
    await beat(watcher);
    proxy.release();
    await beat(watcher);
    await beat(watcher);
    await eventually(async () => (await watchedBelow('first')) === 0, 2_000);
  });

  it('do not come back with the next connection', async () => {
    const { watcher, writer, proxy } = await openPair(server, sessionTimeoutMs);
    const keys = Array.from({ length: 20 }, (_, index) => `config/back/${String(index)}`);
    await Promise.all(keys.map((key) => put(writer, key, '1')));
    const streams = keys.map((key) => shown(watcher, key));
    await eventually(() => streams.every(({ values }) => values.length === 1));
    for (const { stop } of streams.slice(0, 15)) stop();
    await eventually(async () => (await watchedBelow('back')) === 5, 3_000);
    // And some that nobody had the time to take back.
    for (const { stop } of streams.slice(15, 18)) stop();
    const { accepted } = proxy;
    proxy.flap();
    await eventually(() => proxy.accepted > accepted);
    await eventually(async () => (await watchedBelow('back')) === 2, 3_000);
    await put(writer, keys[19] ?? '', '2');
    await eventually(() => streams[19]?.values.length === 2);
  });
});
