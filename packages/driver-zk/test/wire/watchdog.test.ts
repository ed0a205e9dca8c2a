import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connected as isConnected, openConnected } from '../support/open.js';
import { TestServer } from '../support/server.js';
import { FrameProxy } from './support/frame-proxy.js';

// ZooKeeper's number for setData, behind the number of the request.
const isWrite = (request: Buffer): boolean => request.readInt32BE(4) === 5;

describe('a server that answers pings and no writes', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('is left within the session, for one that answers both', async () => {
    const proxy = await FrameProxy.start(server.port);
    const client = await openConnected([proxy.port], { sessionTimeoutMs: 9_000 });
    onTestFinished(async () => {
      await client.close();
      await proxy.close();
    });
    const { id } = client.session.state;
    const { accepted } = proxy;
    proxy.loses = isWrite;
    await expect.poll(() => proxy.accepted, { timeout: 7_000 }).toBeGreaterThan(accepted);
    proxy.loses = () => false;
    await isConnected(client);
    expect(client.session.state).toMatchObject({ id, epoch: 1 });
  });
});
