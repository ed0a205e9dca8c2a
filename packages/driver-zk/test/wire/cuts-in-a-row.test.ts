import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { NodeEvent } from '../../src/connection.js';
import { eventually } from '../support/eventually.js';
import { call, connected as isConnected } from '../support/open.js';
import { TestServer } from '../support/server.js';
import { bytes, good, none } from './support/answers.js';
import { connected } from './support/connecting.js';
import { FrameProxy } from './support/frame-proxy.js';
import { openPair, type Pair, put, shown } from './support/watching.js';

// Of a reply without a body, its length included.
const replyBytes = 20;
const isRead = (request: Buffer): boolean => request.readInt32BE(4) === 4;

/** Cuts the link, and lets so much through on the next connection, which is welcome. */
async function cutTo({ proxy }: Pair, audible: number): Promise<void> {
  const { accepted } = proxy;
  proxy.audible = audible;
  proxy.loses = () => false;
  proxy.flap();
  await eventually(() => proxy.accepted > accepted);
}

describe('cuts in a row', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('let a read that was in flight be read again, the first of a stream and a later one', async () => {
    const pair = await openPair(server);
    const { proxy, watcher, writer } = pair;
    await put(writer, 'config/in-flight', '1');
    const streams: ReturnType<typeof shown>[] = [];
    const acts = [
      () => void streams.push(shown(watcher, 'config/in-flight')),
      () => put(writer, 'config/in-flight', '2'),
    ];
    for (const [index, act] of acts.entries()) {
      let lost = 0;
      proxy.loses = (request) => {
        if (isRead(request)) lost += 1;
        return isRead(request);
      };
      await act();
      await eventually(() => lost === 1);
      expect(streams[0]?.values).toHaveLength(index);
      await cutTo(pair, Number.POSITIVE_INFINITY);
      await eventually(() => streams[0]?.values.length === index + 1);
    }
    expect(streams[0]?.values).toEqual(['1', '2']);
  });

  it('carry watches over all of them, also where none of them was taken up in between', async () => {
    const pair = await openPair(server);
    const { watcher, writer } = pair;
    const keys = Array.from({ length: 50 }, (_, index) => `config/row/${String(index)}`);
    await Promise.all(keys.map((key) => put(writer, key, '1')));
    const streams = keys.map((key) => shown(watcher, key));
    await eventually(() => streams.every(({ values }) => values.length === 1));
    const { requests } = watcher.backend.traffic;
    // Told on a connection that nobody hears: each of these changes is the last chance of its watch there.
    for (const key of keys.slice(0, 3)) {
      await cutTo(pair, 0);
      await put(writer, key, '2');
    }
    await cutTo(pair, Number.POSITIVE_INFINITY);
    await isConnected(watcher);
    await eventually(() => streams.slice(0, 3).every(({ values }) => values.length === 2));
    await watcher.backend.get(keys[0] ?? '', 'linearizable', call());
    expect(streams.map(({ values }) => values)).toEqual(keys.map((_, index) => (index < 3 ? ['1', '2'] : ['1'])));
    expect(watcher.backend.traffic.requests - requests).toBe(3 + 1);
    expect(watcher.session.epoch).toBe(1);
  });

  it.each([1, 2, 3])('after %d of several chunks were taken up lose nothing of the rest', async (chunks) => {
    const proxy = await FrameProxy.start(server.port);
    onTestFinished(() => proxy.close());
    const writer = await connected(server.port);
    const first = await connected(proxy.port, { sessionTimeoutMs: 20_000 });
    // Long enough for four chunks or more.
    const paths = Array.from({ length: 300 }, (_, index) => `/${'p'.repeat(600)}-${String(chunks)}-${String(index)}`);
    await Promise.all(paths.map((path) => good(writer.create(path, none, 'ephemeral'))));
    await Promise.all(paths.map((path) => good(first.get(path, true))));
    first.sever();
    const last = paths[paths.length - 1] ?? '';
    await good(writer.set(last, bytes('2'), 'any'));
    // These replies tell of a later transaction than the one that nobody was told of.
    proxy.audible = chunks * replyBytes;
    const second = await connected(proxy.port, { sessionTimeoutMs: 20_000, resume: first.resumption });
    await expect.poll(() => second.answered).toBe(chunks);
    expect(second.carriesWatches).toBe(true);
    second.sever();
    await second.closed;
    expect(second.resumption.seen).toBe(first.resumption.seen);
    proxy.audible = Number.POSITIVE_INFINITY;
    const third = await connected(proxy.port, { sessionTimeoutMs: 20_000, resume: second.resumption });
    const told: NodeEvent[] = [];
    third.onEvent((event) => void told.push(event));
    // Answered behind the watches.
    const { modified } = (await good(third.get(last, true))).stat;
    expect(told).toEqual([{ type: 'changed', path: last }]);
    expect(third.resumption.seen).toBeGreaterThanOrEqual(modified);
    await Promise.all([paths[0] ?? '', last].map((path) => good(writer.set(path, bytes('3'), 'any'))));
    await expect.poll(() => told.map(({ path }) => path)).toEqual([last, paths[0], last]);
  });
});
