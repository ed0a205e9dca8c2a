import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, openConnected, bytes as value } from '../support/open.js';
import { TestServer } from '../support/server.js';
import { codeOf, good, none } from './support/answers.js';
import { connected } from './support/connecting.js';

describe('10,000 requests at once', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('are answered in their order, and a heartbeat in the midst of them is not the last', async () => {
    const connection = await connected(server.port);
    await good(connection.create('/beat', none, 'ephemeral'));
    await good(connection.create('/many', none, 'persistent'));
    const order: number[] = [];
    const asked = Array.from({ length: 10_000 }, async (_, index) => {
      const { path } = await good(connection.create(`/many/${String(index)}`, none, 'persistent'));
      expect(path).toBe(`/many/${String(index)}`);
      order.push(index);
    });
    let ahead = 0;
    const beating = connection.beat('/beat').then((answer) => {
      ahead = order.length;
      return answer;
    });
    await Promise.all([...asked, good(beating)]);
    expect(order).toEqual(order.map((_, index) => index));
    // So many are sent at a time: the beat goes ahead of those that wait here.
    expect(ahead).toBeLessThanOrEqual(1_000);
    expect((await good(connection.children('/many', false))).names).toHaveLength(10_000);
  });

  it('never suspend the session, also where each of them is large', async () => {
    const client = await openConnected([server.port], { sessionTimeoutMs: 6_000 });
    for (const [count, size] of [
      [10_000, 1],
      [20, 900_000],
    ] as const) {
      const stored = await Promise.all(
        Array.from({ length: count }, (_, index) => {
          const key = `config/large/${String(size)}-${String(index % (size === 1 ? 500 : 5))}`;
          return client.backend.put(key, new Uint8Array(size).fill(1), { expect: 'any' }, call());
        }),
      );
      expect(stored.every((result) => result.stored)).toBe(true);
    }
    expect(client.states.map(({ state }) => state)).toEqual(['connecting', 'connected']);
    expect(await client.backend.get('config/large/1-0', 'linearizable', call())).toMatchObject({
      value: value('\u0001'),
    });
    await client.close();
  });

  it('that wait here when the connection ends were certainly not sent', async () => {
    const watcher = await connected(server.port);
    const connection = await connected(server.port);
    await good(connection.create('/cut', none, 'persistent'));
    const asked = Array.from({ length: 10_000 }, (_, index) =>
      codeOf(connection.create(`/cut/${String(index)}`, none, 'persistent')),
    );
    await asked[2_000];
    connection.sever();
    const codes = await Promise.all(asked);
    const unsent = codes.indexOf('unsent');
    expect(codes.lastIndexOf('lost')).toBeLessThan(unsent);
    expect(codes.slice(unsent).every((code) => code === 'unsent')).toBe(true);
    expect(codes.slice(0, 2_001).every((code) => code === null)).toBe(true);
    // Ends the session behind whatever of it the server still has to do.
    await (await connected(server.port, { resume: connection.resumption })).end();
    const names = new Set((await good(watcher.children('/cut', false))).names);
    const created = codes.map((_, index) => names.has(String(index)));
    expect(created.slice(0, codes.indexOf('lost')).every(Boolean)).toBe(true);
    expect(created.slice(unsent).some(Boolean)).toBe(false);
  });
});
