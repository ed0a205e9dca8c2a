import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './support/eventually.js';
import { connected, openConnected } from './support/open.js';
import { TestProxy } from './support/proxy.js';
import { TestServer } from './support/server.js';

// Node's own sockets are closed on exec; npm `zookeeper` is built so here: see patches/.
describe('a child process spawned while connected', () => {
  let server: TestServer;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());
  afterEach(async () => {
    for (const child of children.splice(0)) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  const spawned = (): ChildProcess => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    children.push(child);
    return child;
  };

  it('inherits no socket', async () => {
    const client = await openConnected([server.port]);
    const listing = execFileSync('ls', ['-l', '/proc/self/fd'], { encoding: 'utf8' });
    expect(listing).toMatch(/ 2 -> /);
    // Its standard streams are pipes of this process, and those are sockets.
    expect(listing).not.toMatch(/ ([3-9]|\d{2,}) -> socket:/);
    await client.close();
  });

  it('is in the way of no reconnect', async () => {
    const proxy = await TestProxy.start(server.port);
    const client = await openConnected([proxy.port], { sessionTimeoutMs: 6_000 });
    const { id } = client.session.state;
    for (let cut = 0; cut < 5; cut += 1) {
      spawned();
      const { accepted } = proxy;
      proxy.flap();
      await eventually(() => proxy.accepted > accepted);
      await connected(client);
    }
    expect(client.session.state).toMatchObject({ id, epoch: 1 });
    expect(children.every(({ exitCode }) => exitCode === null)).toBe(true);
    await client.close();
    await proxy.close();
  });
});
