import { randomUUID } from 'node:crypto';
import type { Link } from '@concordat/conformance';
import { type StoreNode, startSecureZooKeeper } from '@concordat/conformance/servers';
import type { Coordinator, SessionState } from '@concordat/core';
import type { Observable } from 'rxjs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { AclClient } from './support/acl-client.js';
import { codeOf, ready } from './support/coordinators.js';
import { linkTo } from './support/links.js';
import { idOf, knowingOperator, operator } from './support/operator.js';

let node: StoreNode;
beforeAll(async () => {
  node = await startSecureZooKeeper({ properties: knowingOperator });
});
afterAll(() => node.stop());

const credentials = { username: 'alice', password: 'of alice' };
const ofNobody = 'digest:nobody:a-digest-of-nothing:cdrwa';

let namespace: string;
let link: Link;
let alice: Coordinator;
let client: AclClient;
let states: SessionState[];
beforeEach(async () => {
  namespace = randomUUID();
  link = await linkTo(node);
  alice = await ready({ ...link.options, namespace, credentials, sessionTimeoutMs: 6_000 });
  client = await AclClient.open(node, operator);
  states = [];
  alice.session$.subscribe((state) => states.push(state));
});

/**
 * Newer servers tell nobody of the change of a node that he may not read (CVE-2024-23944), but to whoever comes back over another
 * connection they tell that he has to read it again.
 */
async function comeBack(): Promise<void> {
  const before = states.length;
  link.flap();
  await expect.poll(() => states.length).toBeGreaterThan(before);
  await expect.poll(() => states.at(-1)).toMatchObject({ state: 'connected', epoch: 1 });
}

/** What a stream emitted, and in the end the code of its error. */
function followed<Value>(stream: Observable<Value>): unknown[] {
  const told: unknown[] = [];
  stream.subscribe({
    next: (value) => told.push(value),
    error: ({ code }: { readonly code: unknown }) => told.push(code),
  });
  return told;
}

it('SEC-42 ends the stream of a value that may not be read any more, and no other', async () => {
  await Promise.all([alice.config('a').set(1), alice.config('b').set(1)]);
  const [one, other] = [followed(alice.config('a').value$), followed(alice.config('b').value$)];
  await expect.poll(() => [one, other]).toMatchObject([[{ value: 1 }], [{ value: 1 }]]);
  await client.setAcl(`/${namespace}/config/a`, ofNobody);
  await client.write(`/${namespace}/config/a`, '2');
  await comeBack();
  await expect.poll(() => one.at(-1)).toBe('PERMISSION_DENIED');
  expect(one).not.toContainEqual(expect.objectContaining({ value: 2 }));
  await alice.config('b').set(2);
  await expect.poll(() => other.at(-1)).toMatchObject({ value: 2, stale: false });
  expect(await codeOf(alice.config('a').get())).toBe('PERMISSION_DENIED');
  expect(states.at(-1)?.epoch).toBe(1);

  // Permitted again, it is there for whoever asks anew.
  await client.setAcl(`/${namespace}/config/a`, 'open');
  const again = followed(alice.config('a').value$);
  await expect.poll(() => again).toMatchObject([{ value: 2 }]);
});

it('SEC-42 ends the stream of a directory that may not be listed any more', async () => {
  await alice.group('group').join('me', {});
  const members = followed(alice.group('group').members$);
  await expect.poll(() => members).toMatchObject([{ members: [{ id: 'me' }] }]);
  await client.setAcl(`/${namespace}/group/group`, ofNobody);
  await client.create(`/${namespace}/group/group/another`, 'open');
  await comeBack();
  await expect.poll(() => members.at(-1)).toBe('PERMISSION_DENIED');
  expect(await codeOf(alice.group('group').join('me-too', {}))).toBe('PERMISSION_DENIED');
  await alice.group('another').join('me', {});
});

it('SEC-42 tells a contender whose line may not be read any more, and goes on with others', async () => {
  const bob = { username: 'bob', password: 'of bob' };
  const open = { hosts: node.hosts, namespace: `${namespace}/open`, driverOptions: { acl: 'open' } };
  const [one, other] = [await ready({ ...open, credentials }), await ready({ ...open, credentials: bob })];
  const held = await other.lock('a').acquire();
  const waiting = codeOf(one.lock('a').acquire());
  const line = `/${open.namespace}/lock/a`;
  await expect.poll(async () => (await client.tree(line)).length).toBe(3);
  await client.setAcl(line, `digest:${idOf(bob)}:cdrwa`);
  await held.release();
  expect(await waiting).toBe('PERMISSION_DENIED');
  await one.lock('b').with(() => undefined);
});

/** Lets a contender make entries in a line, and neither see nor remove any. */
const ofEntering = 'world:anyone:c';

it('ENTRY-37 takes away an entry that might not be removed as soon as it may', async () => {
  const line = `/${namespace}/lock/a`;
  await alice.lock('a').with(() => undefined);
  await client.setAcl(line, ofEntering);
  expect(await codeOf(alice.lock('a').acquire())).toBe('PERMISSION_DENIED');
  expect(await client.tree(line)).toHaveLength(2);
  await client.setAcl(line, 'open');
  await expect.poll(() => client.tree(line)).toEqual([line]);
  await alice.lock('a').with(() => undefined);
  expect(states.map(({ state }) => state)).toEqual(['connected']);
});

it('ENTRY-37 takes away an entry by its name while its directory may not be listed, over a cut', async () => {
  const line = `/${namespace}/lock/a`;
  await alice.lock('a').with(() => undefined);
  await client.setAcl(line, ofEntering);
  expect(await codeOf(alice.lock('a').acquire())).toBe('PERMISSION_DENIED');
  await client.setAcl(line, 'world:anyone:cd');
  await comeBack();
  await expect.poll(() => client.tree(line)).toEqual([line]);
});

it('ENTRY-37 takes away an entry whose reply was lost, and that might not be looked for, as soon as it may', async () => {
  const line = `/${namespace}/lock/a`;
  await alice.lock('a').with(() => undefined);
  link.swallowReplies();
  const acquiring = codeOf(alice.lock('a').acquire());
  await expect.poll(() => client.tree(line)).toHaveLength(2);
  await client.setAcl(line, ofEntering);
  link.heal();
  expect(await acquiring).toBe('PERMISSION_DENIED');
  expect(await client.tree(line)).toHaveLength(2);
  await client.setAcl(line, 'open');
  await expect.poll(() => client.tree(line)).toEqual([line]);
  await alice.lock('a').with(() => undefined);
  expect(states.at(-1)).toMatchObject({ state: 'connected', epoch: 1 });
});

it('SEC-42 loses a session whose own node may not be written any more, by its deadline', async () => {
  const held = await alice.lock('a').acquire();
  const [path = ''] = (await client.tree(`/${namespace}/session`)).slice(1);
  await client.setAcl(path, ofNobody);
  await expect.poll(() => held.signal.aborted).toBe(true);
  await expect
    .poll(() => states.map(({ state }) => state))
    .toEqual(['connected', 'suspended', 'lost', 'connecting', 'connected']);
});
