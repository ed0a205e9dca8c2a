import { type SecureNode, startSecureZooKeeper, type ZooKeeperSettings } from '@concordat/conformance/servers';
import type { Coordinator, SessionState } from '@concordat/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeOf, ready } from './support/coordinators.js';
import { linkTo } from './support/links.js';

const alice = { username: 'alice', password: 'of alice' };
const driverOptions = { auth: 'sasl' };

const settings = (password: string): ZooKeeperSettings => ({
  sasl: { users: { [alice.username]: password }, required: true },
});

let node: SecureNode<ZooKeeperSettings>;
beforeAll(async () => {
  node = await startSecureZooKeeper(settings(alice.password));
});
afterAll(() => node.stop());

async function connected(sessionTimeoutMs: number): Promise<{ alice: Coordinator; states: readonly SessionState[] }> {
  const coordinator = await ready({ hosts: node.hosts, credentials: alice, driverOptions, sessionTimeoutMs });
  const states: SessionState[] = [];
  coordinator.session$.subscribe((state) => states.push(state));
  return { alice: coordinator, states };
}

it('SEC-44 tells that the password was changed, and keeps the session when it is right again in time', async () => {
  const { alice: coordinator, states } = await connected(30_000);
  const grant = await coordinator.lock('a').acquire();
  const seen: unknown[] = [];
  const told = {
    next: ({ value }: { value: unknown }) => seen.push(value),
    error: (error: unknown) => seen.push(error),
  };
  coordinator.config('a').value$.subscribe(told);
  await coordinator.config('a').set(1);
  await node.restart(settings('another'));
  await expect.poll(() => codeOf(coordinator.config('a').get())).toBe('UNAUTHENTICATED');
  expect(await codeOf(coordinator.lock('b').acquire())).toBe('UNAUTHENTICATED');
  expect(states.at(-1)).toMatchObject({ state: 'suspended', epoch: 1 });
  grant.assertHeld();
  await node.restart(settings(alice.password));
  await expect.poll(() => states.at(-1)).toMatchObject({ state: 'connected', epoch: 1 });
  grant.assertHeld();
  await coordinator.config('a').set(2);
  await expect.poll(() => seen.at(-1)).toBe(2);
});

it('SEC-44 takes a later outage for an outage, once the password was right again', async () => {
  const link = await linkTo(node);
  const common = { ...link.options, credentials: alice, driverOptions, sessionTimeoutMs: 30_000 };
  const coordinator = await ready(common);
  await node.restart(settings('another'));
  await expect.poll(() => codeOf(coordinator.config('a').get())).toBe('UNAUTHENTICATED');
  await node.restart(settings(alice.password));
  await expect.poll(() => codeOf(coordinator.config('a').get())).toBeNull();
  link.cut();
  expect(await codeOf(coordinator.config('a').get())).toBe('UNAVAILABLE');
});

it('SEC-44 ends the session by its deadline otherwise, and opens the next one once the password is right', async () => {
  const { alice: coordinator, states } = await connected(4_000);
  const grant = await coordinator.lock('a').acquire();
  const { safeUntil } = grant;
  await node.restart(settings('another'));
  await expect.poll(() => grant.signal.aborted).toBe(true);
  expect(performance.now()).toBeGreaterThanOrEqual(safeUntil);
  await expect.poll(() => states.at(-1)).toMatchObject({ state: 'connecting', epoch: 2 });
  expect(await codeOf(coordinator.ready())).toBe('UNAUTHENTICATED');
  expect(await codeOf(coordinator.lock('a').acquire())).toBe('UNAUTHENTICATED');
  const start = performance.now();
  await node.restart(settings(alice.password));
  await expect.poll(() => states.at(-1)).toMatchObject({ state: 'connected', epoch: 2 });
  expect(performance.now() - start).toBeLessThan(10_000);
  await coordinator.lock('a').with(() => undefined);
});

it('SEC-44 closes in bounded time while the password is wrong', async () => {
  const { alice: coordinator } = await connected(30_000);
  await node.restart(settings('another'));
  const start = performance.now();
  await coordinator.close();
  // Twice the limit of a request.
  expect(performance.now() - start).toBeLessThan(10_500);
  await node.restart(settings(alice.password));
});
