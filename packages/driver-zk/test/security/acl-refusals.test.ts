import { type StoreNode, startSecureZooKeeper } from '@concordat/conformance/servers';
import type { Coordinator, CoordinatorOptions, SessionState } from '@concordat/core';
import type { Observable } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AclClient } from './support/acl-client.js';
import { codeOf, opened, ready, refusalOf } from './support/coordinators.js';
import { createEverything } from './support/everything.js';

const alice = { username: 'alice', password: 'of alice' };
const bob = { username: 'bob', password: 'of bob' };

let node: StoreNode;
beforeAll(async () => {
  node = await startSecureZooKeeper({});
});
afterAll(() => node.stop());

function endOf(stream: Observable<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    stream.subscribe({ error: reject, complete: () => resolve(null) });
  });
}

type Asked = (coordinator: Coordinator) => Promise<unknown>;

const calls: readonly (readonly [string, Asked])[] = [
  ['get', (coordinator) => coordinator.config('hers/in/a/directory').get()],
  ['get of what the session saw', (coordinator) => coordinator.config('hers/in').get({ consistency: 'session' })],
  ['set', (coordinator) => coordinator.config('hers/in/a/directory').set(2)],
  ['set of what is not there', (coordinator) => coordinator.config('hers/new').set(2, { expect: 'absent' })],
  ['update', (coordinator) => coordinator.config('hers/in').update(() => 2)],
  ['delete', (coordinator) => coordinator.config('hers/in').delete()],
  ['configKeys', (coordinator) => coordinator.configKeys('hers')],
  ['acquire', (coordinator) => coordinator.lock('hers').acquire()],
  ['tryAcquire', (coordinator) => coordinator.lock('hers').tryAcquire()],
  ['with', (coordinator) => coordinator.lock('hers').with(() => undefined)],
  ['hold', (coordinator) => endOf(coordinator.lock('hers').hold())],
  ['write.acquire', (coordinator) => coordinator.readWriteLock('hers').write.acquire()],
  ['semaphore', (coordinator) => coordinator.semaphore('hers', 2).acquire()],
  ['campaign', (coordinator) => endOf(coordinator.election('hers').campaign({ value: 'me' }))],
  ['join', (coordinator) => coordinator.group('hers').join('him', {})],
  ['publish of a bundle', (coordinator) => coordinator.bundle('hers').publish({ a: '2' })],
  ['barrier.wait', (coordinator) => coordinator.barrier('hers').wait()],
  ['doubleBarrier', (coordinator) => coordinator.doubleBarrier('hers', 2).enter()],
  ['rendezvous', (coordinator) => coordinator.rendezvous('hers').wait()],
  ['idempotency', (coordinator) => coordinator.idempotency('hers').run('key', () => 2)],
];

const observing: readonly (readonly [string, Asked])[] = [
  ['value$', (coordinator) => endOf(coordinator.config('hers/in/a/directory').value$)],
  ['contenders$', (coordinator) => endOf(coordinator.lock('hers').contenders$)],
  ['leader$', (coordinator) => endOf(coordinator.election('hers').leader$)],
  ['members$', (coordinator) => endOf(coordinator.group('hers').members$)],
  ['bundle.value$', (coordinator) => endOf(coordinator.bundle('hers').value$)],
];

async function expectRefusals(asked: typeof calls, coordinator: Coordinator): Promise<void> {
  const refused = asked.map(async ([name, ask]) => [name, await codeOf(ask(coordinator))]);
  expect(await Promise.all(refused)).toEqual(asked.map(([name]) => [name, 'PERMISSION_DENIED']));
}

it('SEC-39 refuses what is not permitted for that call alone, whichever it is', async () => {
  const common = { hosts: node.hosts, namespace: 'shared' };
  const visitor = await ready(common);
  const states: SessionState[] = [];
  visitor.session$.subscribe((state) => states.push(state));
  // The directories above are made by him, and open.
  await createEverything(visitor, 'his');
  const seen: unknown[] = [];
  visitor.config('his/watched').value$.subscribe(({ value }) => seen.push(value));
  const grant = await visitor.lock('held').acquire();
  await createEverything(await ready({ ...common, credentials: alice }), 'hers');

  await expectRefusals([...calls, ...observing], visitor);

  grant.assertHeld();
  await visitor.config('his/watched').set(1);
  await expect.poll(() => seen.at(-1)).toBe(1);
  await visitor.lock('another').with(() => undefined);
  expect(states).toHaveLength(1);
});

it.each([
  ['without credentials', {}],
  ['with those of somebody else', { credentials: bob }],
  ['with another password, which to this scheme is somebody else', { credentials: { ...alice, password: 'guessed' } }],
])('SEC-39 refuses everything in a namespace of somebody else %s', async (_, options: Partial<CoordinatorOptions>) => {
  const namespace = `closed-${String(_.length)}`;
  await createEverything(await ready({ hosts: node.hosts, namespace, credentials: alice }), 'hers');
  expect(await refusalOf({ hosts: node.hosts, namespace, ...options })).toMatchObject({ code: 'PERMISSION_DENIED' });
  const stranger = opened({ hosts: node.hosts, namespace, ...options });
  expect(await codeOf(stranger.ready())).toBe('PERMISSION_DENIED');
  await expectRefusals(calls, stranger);
  // Tried again all the time: let in by the owner, he comes in by himself.
  const owner = await AclClient.open(node, alice);
  for (const path of await owner.tree(`/${namespace}`)) await owner.setAcl(path, 'open');
  await expect.poll(() => codeOf(stranger.ready())).toBeNull();
  await stranger.config('his').set(1);
});

it('SEC-39 ends streams that observe a namespace of somebody else', async () => {
  const namespace = 'observed';
  await createEverything(await ready({ hosts: node.hosts, namespace, credentials: alice }), 'hers');
  const stranger = opened({ hosts: node.hosts, namespace });
  expect(await codeOf(stranger.ready())).toBe('PERMISSION_DENIED');
  await expectRefusals(observing, stranger);
});
