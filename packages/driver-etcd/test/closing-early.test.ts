import { setImmediate } from 'node:timers/promises';
import { type StoreNode, startEtcd } from '@concordat/conformance/servers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Gateway } from './support/gateway.js';
import { freshNamespace, openBackend } from './support/open-backend.js';
import { addressesOf } from './support/servers.js';

const mostTurns = 1_000;

let node: StoreNode;
beforeAll(async () => {
  node = await startEtcd();
});
afterAll(() => node.stop());

// npm etcd3 before 1.1.1: a lease that was released before its grant was answered stayed alive.
it('leaves no lease and no key when it is closed at any moment of opening its session', async () => {
  const namespace = freshNamespace();
  const gateway = new Gateway(node.door);
  const connected: boolean[] = [];
  // From before its first request to after the last; how many turns that takes differs between versions of Node.js.
  for (let turns = 0; turns < 60 || (turns < mostTurns && !connected.includes(true)); turns += 1) {
    // Long enough that no lease ends by itself while it is waited for.
    const { session, close } = openBackend(addressesOf(node), { namespace, sessionTimeoutMs: 30_000 });
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
    connected.push(session.state.state === 'connected');
    await close();
  }
  await expect.poll(() => gateway.leases()).toBe(0);
  expect(await node.operator.keys(namespace)).toEqual([]);
  expect([connected[0], connected.includes(true)]).toEqual([false, true]);
});
