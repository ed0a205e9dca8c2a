import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { freePort } from '@concordat/conformance/servers';
import { CoordinationError, systemClock } from '@concordat/core/spi';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './support/eventually.js';
import { bytes, call, collect, connected, type Opened, open, openConnected } from './support/open.js';
import { TestProxy } from './support/proxy.js';
import { TestServer } from './support/server.js';
import { endSession } from './support/stranger.js';

describe('session', () => {
  let server: TestServer;
  const opened: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  const track = <Closable extends { close(): Promise<void> }>(closable: Closable): Closable => {
    opened.push(closable);
    return closable;
  };
  const phases = ({ states }: Opened) => states.map(({ state, epoch }) => `${state} ${String(epoch)}`);

  it('keeps its session over 100 cuts, and harms no socket opened in the very moment of a loss', async () => {
    const proxy = track(await TestProxy.start(server.port));
    const echo = createTcpServer((socket) => socket.pipe(socket));
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
    const address = echo.address();
    const echoPort = typeof address === 'object' && address !== null ? address.port : 0;
    // A quarter of it is no whole number of milliseconds.
    const client = track(await openConnected([proxy.port], { sessionTimeoutMs: 5_999 }));
    const { id } = client.session.state;
    await client.backend.put('group/soak/me', bytes('1'), { expect: 'absent', ephemeral: true }, call());
    const echoed: Promise<unknown>[] = [];
    client.session.state$.subscribe(({ state }) => {
      if (state !== 'suspended') return;
      const socket = connect(echoPort, '127.0.0.1', () => socket.write('hello'));
      echoed.push(once(socket, 'data').then(() => socket.destroy()));
    });
    for (let round = 0; round < 100; round += 1) {
      const { accepted } = proxy;
      // Both ways to notice a loss: a request on the dead socket, and the news of its end.
      const asked = Promise.allSettled([
        client.backend.get('config/x', 'session', call()),
        client.backend.confirm(call()),
      ]);
      proxy.flap();
      if (round % 2 === 0) void Promise.allSettled([client.backend.get('config/x', 'session', call())]);
      await asked;
      await eventually(() => proxy.accepted > accepted);
      await connected(client);
      expect(client.session.state.id).toBe(id);
    }
    await Promise.all(echoed);
    expect(echoed.length).toBeGreaterThanOrEqual(90);
    expect((await client.backend.get('group/soak/me', 'linearizable', call()))?.owner).toBe(id);
    echo.close();
  });

  it('is told of its end by a second client at once, and opens another session', async () => {
    const client = track(await openConnected([server.port]));
    const other = track(await openConnected([server.port]));
    await client.backend.put('group/end/me', bytes('1'), { expect: 'absent', ephemeral: true }, call());
    const seen = collect(other.backend.watch('group/end/me'));
    await eventually(() => seen.values.length === 1);
    const id = client.session.state.id ?? '';
    await endSession(server, client);
    await eventually(() => client.session.epoch === 2, 1_000);
    await connected(client);
    expect(phases(client).slice(-3)).toEqual(['lost 1', 'connecting 2', 'connected 2']);
    expect(client.session.state.id).not.toBe(id);
    await eventually(() => seen.last() === null);
  });

  it('loses its session by its own clock while the server is frozen, before the server would', async () => {
    const own = await TestServer.start();
    const client = track(await openConnected([own.port], { sessionTimeoutMs: 3_000 }));
    const frozenAt = performance.now();
    own.signal('SIGSTOP');
    const reading = client.backend.get('config/x', 'session', call()).then(
      () => 'answered',
      (error: unknown) => (CoordinationError.is(error) ? error.code : error),
    );
    await eventually(() => client.session.state.state === 'lost', 4_000);
    const toldAfter = performance.now() - frozenAt;
    expect(toldAfter).toBeLessThan(3_000);
    expect(await reading).toBe('UNAVAILABLE');
    own.signal('SIGCONT');
    await connected(client);
    expect(client.session.epoch).toBe(2);
    await client.close();
    await own.stop();
  });

  it('keeps its session over a short freeze and over a restart of the server', async () => {
    const own = await TestServer.start();
    const client = track(await openConnected([own.port], { sessionTimeoutMs: 8_000 }));
    const { id } = client.session.state;
    own.signal('SIGSTOP');
    await eventually(() => client.session.state.state === 'suspended', 5_000);
    own.signal('SIGCONT');
    await connected(client);
    await own.kill();
    await eventually(() => client.session.state.state === 'suspended');
    await own.start();
    await connected(client);
    expect(client.session.state).toMatchObject({ id, epoch: 1 });
    await client.close();
    await own.stop();
  });

  it('loses its session when a server takes it over with another timeout, which its deadline does not know', async () => {
    const client = track(await openConnected([server.port], { sessionTimeoutMs: 12_000 }));
    await server.kill();
    await server.start(3_000);
    await eventually(() => client.session.state.epoch === 2 && client.session.state.state === 'connected', 8_000);
    expect(client.session.state.timeoutMs).toBe(3_000);
    expect(client.session.deadline - systemClock.now()).toBeLessThan(3_000);
    expect(client.states.find(({ state }) => state === 'lost')?.reason?.message).toMatch(/timeout/);
    await server.kill();
    await server.start();
  });

  it('leaves a link that answers nothing, and is back as soon as it heals', async () => {
    const proxy = track(await TestProxy.start(server.port));
    const client = track(await openConnected([proxy.port], { sessionTimeoutMs: 6_000 }));
    proxy.swallowReplies = true;
    await eventually(() => client.session.state.state === 'suspended', 5_000);
    const { accepted } = proxy;
    await eventually(() => proxy.accepted > accepted, 3_000);
    proxy.swallowReplies = false;
    const healedAt = performance.now();
    await connected(client);
    expect(performance.now() - healedAt).toBeLessThan(2_200);
    expect(client.session.epoch).toBe(1);
  });

  it('finds the live server among dead, deaf and foreign ones', async () => {
    const http = createServer((_request, response) => response.end('hello'));
    const deaf = createTcpServer(() => undefined);
    const ports = [];
    for (const each of [http, deaf]) {
      await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
      const address = each.address();
      ports.push(typeof address === 'object' && address !== null ? address.port : 0);
    }
    const client = track(await openConnected([await freePort(), ...ports, server.port]));
    expect(client.session.state.state).toBe('connected');
    http.close();
    http.closeAllConnections();
    deaf.close();
  });

  it('says that whoever answers on the port is not ZooKeeper', async () => {
    const http = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const address = http.address();
    const client = track(open([typeof address === 'object' && address !== null ? address.port : 0]));
    await eventually(() => client.session.trouble !== null);
    expect(client.session.trouble?.code).toBe('UNAVAILABLE');
    expect(client.session.trouble?.message).toContain('not ZooKeeper');
    http.close();
    http.closeAllConnections();
  });

  it('does not take the answer of somebody else on the port for the end of its session', async () => {
    let answers: 'zookeeper' | 'http' = 'zookeeper';
    let foreign = 0;
    const front = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      if (answers === 'zookeeper') {
        const behind = connect(server.port, '127.0.0.1');
        behind.on('error', () => undefined);
        socket.pipe(behind).pipe(socket);
        socket.on('close', () => behind.destroy());
        sockets.push(socket);
      } else {
        foreign += 1;
        socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
        socket.resume();
      }
    });
    const sockets: Socket[] = [];
    await once(front.listen(0, '127.0.0.1'), 'listening');
    track({ close: () => new Promise<void>((resolve) => front.close(() => resolve())) });
    const { port } = front.address() as AddressInfo;
    const client = track(await openConnected([port], { sessionTimeoutMs: 12_000 }));
    const { id } = client.session.state;
    answers = 'http';
    for (const socket of sockets) socket.destroy();
    await eventually(() => foreign >= 4);
    answers = 'zookeeper';
    await eventually(() => client.session.state.state === 'connected');
    expect(client.session.state).toMatchObject({ id, epoch: 1 });
  });

  it('tells a refused port within a moment, and connects when the server comes', async () => {
    const port = await freePort();
    const client = track(open([port]));
    await eventually(() => client.session.trouble !== null, 500);
    expect(client.session.trouble?.message).toContain(String(port));
    expect(client.session.state.state).toBe('connecting');
  });

  it('makes the node of its session again when somebody deleted it by hand', async () => {
    const client = track(await openConnected([server.port]));
    const other = track(await openConnected([server.port]));
    const key = `session/${client.session.state.id ?? ''}`;
    expect(await other.backend.delete(key, {}, call())).toEqual({ deleted: true });
    await client.backend.confirm(call());
    await eventually(async () => (await other.backend.get(key, 'linearizable', call())) !== null);
    expect(phases(client)).toEqual(['connecting 1', 'connected 1']);
  });

  it('ends its session on close, also during an outage, and within the limit when nobody answers', async () => {
    const proxy = track(await TestProxy.start(server.port));
    const other = track(await openConnected([server.port]));
    const leaving = async (before: () => void, limitMs: number) => {
      const client = await openConnected([proxy.port], { sessionTimeoutMs: 6_000 });
      const key = `session/${client.session.state.id ?? ''}`;
      before();
      const startedAt = performance.now();
      client.session.close();
      await client.backend.close(limitMs);
      expect(performance.now() - startedAt).toBeLessThan(limitMs + 200);
      return key;
    };
    const first = await leaving(() => undefined, 1_000);
    expect(await other.backend.get(first, 'linearizable', call())).toBeNull();
    const second = await leaving(() => proxy.flap(), 1_000);
    await eventually(async () => (await other.backend.get(second, 'linearizable', call())) === null, 500);
    await leaving(() => {
      proxy.swallowReplies = true;
    }, 400);
    proxy.swallowReplies = false;
  });

  it('connects by name and over IPv6, and drops a link there too without ending the session', async () => {
    const proxy = track(await TestProxy.start(server.port, '::1'));
    const byName = track(open([], { hosts: [{ host: 'localhost', port: server.port }] }));
    const client = track(open([], { hosts: [{ host: '[::1]', port: proxy.port }], sessionTimeoutMs: 3_000 }));
    await Promise.all([byName.session.connected(), client.session.connected()]);
    const { id } = client.session.state;
    const { accepted } = proxy;
    proxy.swallowReplies = true;
    await eventually(() => proxy.accepted > accepted);
    proxy.swallowReplies = false;
    proxy.flap();
    await connected(client);
    expect(client.session.state).toMatchObject({ id, epoch: 1 });
  });

  it('begins a new session over a wiped store, and its watches tell what is there now', async () => {
    const own = await TestServer.start();
    const client = track(await openConnected([own.port]));
    await client.backend.put('config/k', bytes('1'), { expect: 'absent' }, call());
    const seen = collect(client.backend.watch('config/k'));
    await eventually(() => seen.values.length === 1);
    await own.wipe();
    await eventually(() => client.session.epoch === 2);
    await connected(client);
    await eventually(() => seen.last() === null);
    await client.close();
    await own.stop();
  });

  it('opens below a missing namespace, and without one', async () => {
    const nested = track(await openConnected([server.port], { namespace: 'a/b/c' }));
    const plain = track(await openConnected([server.port], { namespace: '' }));
    await nested.backend.put('config/k', bytes('1'), { expect: 'absent' }, call());
    expect(await plain.backend.get('a/b/c/config/k', 'linearizable', call())).not.toBeNull();
    expect(await plain.backend.children('a/b/c/config', call())).toEqual(['k']);
  });
});
