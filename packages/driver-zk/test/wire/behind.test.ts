import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { bytes, call, collect, connected as isConnected, type Opened, openConnected, text } from '../support/open.js';
import { TestServer } from '../support/server.js';
import { codeOf, good, none, bytes as value } from './support/answers.js';
import { connected } from './support/connecting.js';

const sessionTimeoutMs = 6_000;

describe('a server that went back', () => {
  let server: TestServer;
  let clients: Opened[] = [];

  beforeEach(async () => {
    server = await TestServer.start();
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    clients = [];
    await server.stop();
  });

  const copy = () => join(server.directory, 'copy');
  const data = () => join(server.directory, 'data');

  /** Puts the copy in the place of what was written since. */
  async function restore(): Promise<void> {
    await server.kill();
    await rm(data(), { recursive: true });
    await cp(copy(), data(), { recursive: true });
    await server.start();
  }

  async function open(): Promise<Opened> {
    const client = await openConnected([server.port], { sessionTimeoutMs });
    clients.push(client);
    return client;
  }

  it('to a state with the session is told of in words, and costs the session in bounded time', async () => {
    const client = await open();
    await client.backend.put('config/k', bytes('old'), { expect: 'absent' }, call());
    await cp(data(), copy(), { recursive: true });
    await client.backend.put('config/k', bytes('new'), { expect: 'any' }, call());
    const seen = collect(client.backend.watch('config/k'));
    await eventually(() => text(seen.last()?.value) === 'new');
    await restore();
    const restoredAt = performance.now();
    await eventually(() => client.session.trouble?.message.includes('behind') ?? client.session.epoch > 1);
    await eventually(() => client.session.epoch > 1, sessionTimeoutMs + 2_000);
    expect(performance.now() - restoredAt).toBeLessThan(sessionTimeoutMs + 1_000);
    await isConnected(client);
    await eventually(() => text(seen.last()?.value) === 'old');
    await client.backend.put('config/k', bytes('newer'), { expect: 'any' }, call());
    await eventually(() => text(seen.last()?.value) === 'newer');
    const phases = client.states.map(({ state, epoch }) => `${state} ${String(epoch)}`);
    expect(phases.slice(-3)).toEqual(['lost 1', 'connecting 2', 'connected 2']);
    // Not even for a moment in the old session.
    expect(phases.filter((phase) => phase === 'connected 1')).toHaveLength(1);
  });

  it('to one before the session, or to nothing, is the end of the session at once', async () => {
    await cp(data(), copy(), { recursive: true });
    const client = await open();
    await client.backend.put('config/k', bytes('1'), { expect: 'absent' }, call());
    await restore();
    await eventually(() => client.session.epoch === 2 && client.session.state.state === 'connected');
    expect(client.states.find(({ state }) => state === 'lost')?.reason?.message).toContain('expired');
    await client.backend.put('config/k', bytes('2'), { expect: 'absent' }, call());
    await server.wipe();
    await eventually(() => client.session.epoch === 3 && client.session.state.state === 'connected');
    expect(await client.backend.get('config/k', 'linearizable', call())).toBeNull();
  });

  it('is not attached to by a connection that saw more, and is by one that did not', async () => {
    const first = await connected(server.port, { sessionTimeoutMs });
    await good(first.create('/k', value('old'), 'persistent'));
    const earlier = first.resumption;
    await cp(data(), copy(), { recursive: true });
    await good(first.set('/k', none, 'any'));
    const later = first.resumption;
    expect(later.seen).toBeGreaterThan(earlier.seen);
    await restore();
    await expect(connected(server.port, { sessionTimeoutMs, resume: later })).rejects.toThrow('behind');
    const next = await connected(server.port, { sessionTimeoutMs, resume: earlier });
    expect(next.identity).toEqual(first.identity);
    expect(await good(next.get('/k', false))).toMatchObject({ data: value('old') });
    expect(await codeOf(next.exists('/none', false))).toBe('no-node');
  });
});
