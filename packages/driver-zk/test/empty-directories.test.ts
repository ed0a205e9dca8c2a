import { type StoreNode, startSecureZooKeeper } from '@concordat/conformance/servers';
import { createCoordinator } from '@concordat/core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { zookeeper } from '../src/index.js';

const namespace = 'empty';
let node: StoreNode;
beforeAll(async () => {
  node = await startSecureZooKeeper({ properties: { 'znode.container.checkIntervalMs': '100' } });
});
afterAll(() => node.stop());

// Netflix/curator#307 and #29: parents of locks that nobody uses any more piled up.
it('leaves directories of lines to be removed by the server once they are empty, and enters them again', async () => {
  const coordinator = createCoordinator(zookeeper, { hosts: node.hosts, namespace });
  onTestFinished(() => coordinator.close());
  const names = Array.from({ length: 20 }, (_, index) => String(index));
  const directories = async (): Promise<readonly string[]> => {
    const keys = await node.operator.keys(namespace);
    return keys.filter((key) => /^(?:lock|sem|rw|election|group)\/./.test(key));
  };
  const grants = await Promise.all(names.map((name) => coordinator.lock(name).acquire()));
  const others = [
    await coordinator.semaphore('a', 1).acquire(),
    await coordinator.readWriteLock('a').read.acquire(),
    await coordinator.group('a').join('me', 1),
  ];
  expect(await directories()).not.toEqual([]);
  await Promise.all(grants.map((grant) => grant.release()));
  for (const each of others) await each[Symbol.asyncDispose]();
  await expect.poll(directories).toEqual([]);
  const again = await coordinator.lock('0').acquire();
  expect(again.token).toBeGreaterThan(grants[0]?.token ?? 0n);
});
