import type { StoreNode } from '@concordat/conformance/servers';
import type { SessionState } from '@concordat/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ready } from './support/coordinators.js';
import { linkTo } from './support/links.js';
import { SecureServers } from './support/secure-servers.js';

let servers: SecureServers;
let node: StoreNode;
beforeAll(async () => {
  servers = await SecureServers.create();
  node = await servers.start();
});
afterAll(() => servers.stop());

it('SEC-37 keeps its session, what it holds and what it watches over cuts', async () => {
  const link = await linkTo(node);
  const namespace = 'over-cuts';
  const coordinator = await ready({ ...servers.trusting(link.hosts), namespace, sessionTimeoutMs: 10_000 });
  const other = await ready({ ...servers.trusting(node.hosts), namespace });
  const states: SessionState[] = [];
  coordinator.session$.subscribe((state) => states.push(state));
  const grant = await coordinator.lock('a').acquire();
  const seen: unknown[] = [];
  coordinator.config('a').value$.subscribe(({ value }) => seen.push(value));
  for (let round = 0; round < 20; round += 1) {
    const cuts = states.length;
    link.flap();
    await other.config('a').set(round);
    await expect.poll(() => states.length).toBeGreaterThan(cuts);
    await expect.poll(() => states.at(-1)?.state).toBe('connected');
    await expect.poll(() => seen.at(-1)).toBe(round);
  }
  grant.assertHeld();
  expect(new Set(states.map(({ id, epoch }) => `${String(id)} ${String(epoch)}`)).size).toBe(1);
});

it('SEC-37 hands a lock over, and takes it from who is cut off', async () => {
  const link = await linkTo(node);
  const namespace = 'lock';
  const one = await ready({ ...servers.trusting(link.hosts), namespace });
  const other = await ready({ ...servers.trusting(node.hosts), namespace });
  const first = await one.lock('a').acquire();
  let line = 0;
  one.lock('a').contenders$.subscribe(({ contenders }) => {
    line = contenders.length;
  });
  const waiting = other.lock('a').acquire();
  await expect.poll(() => line).toBe(2);
  await first.release();
  const second = await waiting;
  expect(second.token).toBeGreaterThan(first.token);

  const third = one.lock('a').acquire();
  await second.release();
  const lost = await third;
  const next = other.lock('a').acquire();
  await expect.poll(() => line).toBe(2);
  link.blackhole();
  const fourth = await next;
  expect(lost.signal.aborted).toBe(true);
  expect(() => lost.assertHeld()).toThrow();
  expect(fourth.token).toBeGreaterThan(lost.token);
});

it('SEC-37 passes values of a million bytes, and many requests at once', async () => {
  const coordinator = await ready({ ...servers.trusting(node.hosts), sessionTimeoutMs: 30_000 });
  const large = 'x'.repeat(999_000);
  await coordinator.config('large').set(large);
  expect(await coordinator.config('large').get()).toMatchObject({ value: large });
  const all = Array.from({ length: 300 }, (_, index) => coordinator.config(`many/${String(index)}`).set(index));
  await Promise.all(all);
  expect(await coordinator.configKeys('many')).toHaveLength(300);
});
