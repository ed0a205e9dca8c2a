import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from './support/eventually.js';
import { bytes, call, connected, type Opened, openConnected } from './support/open.js';
import { TestProxy } from './support/proxy.js';
import { TestServer } from './support/server.js';

const sessionTimeoutMs = 20_000;
let server: TestServer;
let proxy: TestProxy;
let opened: Opened[];

beforeEach(async () => {
  server = await TestServer.start();
  proxy = await TestProxy.start(server.port);
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((each) => each.close()));
  await proxy.close();
  await server.stop();
});

async function open(port: number): Promise<Opened> {
  const one = await openConnected([port], { sessionTimeoutMs });
  opened.push(one);
  return one;
}

function cutOff(): void {
  proxy.swallowRequests = true;
  proxy.flap();
}

/** The client is cut off, the copy takes the place of what was written since, and another client writes until it is past `seen`. */
async function restoreAndWritePast(copy: string, seen: bigint): Promise<void> {
  cutOff();
  await server.kill();
  await rm(join(server.directory, 'data'), { recursive: true });
  await cp(copy, join(server.directory, 'data'), { recursive: true });
  await server.start();
  const writer = await open(server.port);
  await eventually(async () => {
    await writer.backend.put('config/filler', bytes('x'), { expect: 'any' }, call());
    await writer.backend.confirm(call());
    return writer.session.order > seen + 20n;
  });
  proxy.swallowRequests = false;
  proxy.flap();
}

it('SESS-17 ends a session when the store was restored, and written beyond what it saw before it comes back', async () => {
  const client = await open(proxy.port);
  await client.backend.confirm(call());
  const copy = join(server.directory, 'copy');
  await cp(join(server.directory, 'data'), copy, { recursive: true });
  await client.backend.confirm(call());
  const { id } = client.session.state;
  await restoreAndWritePast(copy, client.session.order);
  await eventually(() => client.session.epoch === 2, sessionTimeoutMs);
  expect(client.states.find(({ state }) => state === 'lost')).toMatchObject({
    id,
    reason: { code: 'SESSION_LOST', message: expect.stringMatching(/restored/) as string },
  });
  await connected(client);
});

it('SESS-17 keeps a session that comes back to a store which is only further on', async () => {
  const client = await open(proxy.port);
  await client.backend.confirm(call());
  const copy = join(server.directory, 'copy');
  // Whatever was confirmed before is in the copy.
  cutOff();
  await server.kill();
  await cp(join(server.directory, 'data'), copy, { recursive: true });
  await server.start();
  await restoreAndWritePast(copy, client.session.order);
  await connected(client);
  await client.backend.confirm(call());
  expect(client.session.epoch).toBe(1);
});
