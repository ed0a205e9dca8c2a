import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection, NodeEvent } from '../../src/connection.js';
import { TestServer } from '../support/server.js';
import { bytes, codeOf, good, none } from './support/answers.js';
import { connected } from './support/connecting.js';
import { watchedPaths } from './support/watching.js';

describe('watches that fired', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const told = (connection: Connection): readonly NodeEvent[] => {
    const events: NodeEvent[] = [];
    connection.onEvent((event) => void events.push(event));
    return events;
  };

  it('do not come back with the next connection, and those that did not fire do', async () => {
    const writer = await connected(server.port);
    const first = await connected(server.port);
    const before = told(first);
    for (const path of ['/changed', '/deleted', '/list', '/waiting'])
      await good(writer.create(path, none, 'persistent'));
    await Promise.all(['/changed', '/deleted', '/waiting'].map((path) => good(first.get(path, true))));
    await Promise.all(['/deleted', '/list', '/waiting'].map((path) => good(first.children(path, true))));
    for (const path of ['/created', '/missing']) expect(await codeOf(first.exists(path, true))).toBe('no-node');
    await good(writer.set('/changed', none, 'any'));
    await good(writer.delete('/deleted', 'any'));
    await good(writer.create('/list/child', none, 'persistent'));
    await good(writer.create('/created', none, 'persistent'));
    await expect.poll(() => before.map(({ path }) => path)).toEqual(['/changed', '/deleted', '/list', '/created']);
    first.sever();

    const second = await connected(server.port, { resume: first.resumption });
    const after = told(second);
    // Answered behind the watches.
    expect(await codeOf(second.exists('/', false))).toBeNull();
    expect(second.carriesWatches).toBe(true);
    expect([...(await watchedPaths(server))].sort()).toEqual(['/missing', '/waiting']);
    for (const path of ['/changed', '/created']) await good(writer.set(path, bytes('2'), 'any'));
    await good(writer.create('/deleted', none, 'persistent'));
    await good(writer.create('/deleted/child', none, 'persistent'));
    await good(writer.delete('/list/child', 'any'));
    expect(await codeOf(second.exists('/', false))).toBeNull();
    expect(after).toEqual([]);
    await good(writer.create('/missing', none, 'persistent'));
    await good(writer.create('/waiting/child', none, 'persistent'));
    await good(writer.set('/waiting', none, 'any'));
    await expect
      .poll(() => after.map(({ type, path }) => `${type} ${path}`))
      .toEqual(['created /missing', 'child /waiting', 'changed /waiting']);
  });
});
