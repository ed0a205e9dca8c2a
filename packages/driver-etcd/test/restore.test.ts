import { type StoreNode, startEtcd } from '@concordat/conformance/servers';
import { type Coordinator, type CoordinatorOptions, createCoordinator, fencing } from '@concordat/core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { etcd } from '../src/index.js';
import { Holdings } from './support/holdings.js';
import { freshNamespace } from './support/open-backend.js';

let node: StoreNode;
beforeAll(async () => {
  node = await startEtcd();
});
afterAll(() => node.stop());

async function open(namespace: string, hosts: CoordinatorOptions['hosts'] = node.hosts): Promise<Coordinator> {
  const coordinator = createCoordinator(etcd, { hosts, namespace, sessionTimeoutMs: 6_000 });
  onTestFinished(() => coordinator.close());
  await coordinator.ready();
  return coordinator;
}

/** Moves the store on, so that what is granted from now on has a place that a backup of before does not reach for a while. */
async function writeMuch(coordinator: Coordinator): Promise<void> {
  for (let count = 0; count < 50; count += 1) await coordinator.config('much').set(count);
}

/** Everything that was granted is over, for the reason that the store went back; whoever waited has it then, and all go on. */
async function expectOver(holder: Coordinator, held: Holdings, other: Coordinator, waiting: Promise<Holdings>) {
  await expect.poll(() => held.held).toBe(false);
  for (const cause of held.causes) {
    expect(cause).toMatchObject({ code: 'SESSION_LOST' });
    expect(String(cause)).toMatch(/restored/);
  }
  const next = await waiting;
  expect(held.held).toBe(false);
  expect(next.held).toBe(true);
  await other.close();
  const [grant] = (await Holdings.take(holder, 'a', 'again')).grants;
  expect(grant?.token).toBeGreaterThan(next.grants[0]?.token ?? 0n);
}

it('SESS-12 ends everything that was granted when the store is restored, its session with it', async () => {
  const namespace = freshNamespace();
  const [holder, other] = [await open(namespace), await open(namespace)];
  const held = await Holdings.take(holder, 'a', 'holder');
  const waiting = Holdings.take(other, 'a', 'other');
  await expect.poll(() => node.operator.entries(namespace, 'lock/a')).toHaveLength(2);
  const backup = await node.backUp();
  const late = await Holdings.take(holder, 'b', 'late');
  await backup.restore();
  await expectOver(holder, held, other, waiting);
  expect(late.held).toBe(false);
  for (const cause of late.causes) expect(cause).toBe(held.causes[0]);
});

it('SESS-12 ends everything that was granted when the store is restored to before its session', async () => {
  const namespace = freshNamespace();
  const backup = await node.backUp();
  const [holder, other] = [await open(namespace), await open(namespace)];
  const held = await Holdings.take(holder, 'a', 'holder');
  const waiting = Holdings.take(other, 'a', 'other');
  await expect.poll(() => node.operator.entries(namespace, 'lock/a')).toHaveLength(2);
  await backup.restore();
  await expectOver(holder, held, other, waiting);
});

it('SESS-15 grants lower tokens after a restore, which a gate refuses until the token base is raised above them', async () => {
  const namespace = freshNamespace();
  const backup = await node.backUp();
  const coordinator = await open(namespace);
  await writeMuch(coordinator);
  const before = await coordinator.lock('a').acquire();
  const gate = new fencing.TokenGate();
  expect(gate.accept('resource', before.token)).toBe(true);
  await backup.restore();
  await expect.poll(() => before.signal.aborted).toBe(true);
  const after = await coordinator.lock('a').acquire();
  expect(gate.accept('resource', after.token)).toBe(false);
  await after.release();
  const format = JSON.stringify({ layout: 1, tokenBase: String(before.token) });
  await node.operator.write(namespace, 'format', Buffer.from(format));
  // Known to a session from its beginning on.
  const raised = await (await open(namespace)).lock('a').acquire();
  expect(raised.token).toBeGreaterThan(before.token);
  expect(gate.accept('resource', raised.token)).toBe(true);
});

// etcd3#31: a resume above the store's revision, and silence. Here the store has passed it again.
it('WATCH-29 shows a store that lost everything as it is, also when it was written beyond what was seen meanwhile', async () => {
  const namespace = freshNamespace();
  const link = await node.link();
  const watcher = await open(namespace, link.options.hosts);
  const seen: unknown[] = [];
  const gone: unknown[] = [];
  const before = await watcher.config('a').set('before');
  await watcher.config('gone').set('x');
  watcher.config('a').value$.subscribe(({ value }) => seen.push(value));
  watcher.config('gone').value$.subscribe(({ value }) => gone.push(value));
  await expect.poll(() => [seen.at(-1), gone.at(-1)]).toEqual(['before', 'x']);
  link.cut();
  await node.control.wipe();
  const writer = await open(namespace);
  while ((await writer.config('filler').set('x')) <= before) await writeMuch(writer);
  await writer.config('a').set('after');
  link.heal();
  await expect.poll(() => [seen.at(-1), gone.at(-1)]).toEqual(['after', undefined]);
  expect(new Set(seen)).toEqual(new Set(['before', 'after']));
});
