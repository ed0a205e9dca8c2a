import { type SecureNode, startSecureZooKeeper, type ZooKeeperSettings } from '@concordat/conformance/servers';
import type { CoordinatorOptions } from '@concordat/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AclClient } from './support/acl-client.js';
import { ready, refusalOf } from './support/coordinators.js';
import { createEverything, everythingOf } from './support/everything.js';
import { idOf, knowingOperator, operator } from './support/operator.js';

const alice = { username: 'alice', password: 'of alice' };
const bob = { username: 'bob', password: 'of bob' };

let node: SecureNode<ZooKeeperSettings>;
beforeAll(async () => {
  const sasl = { users: { [alice.username]: alice.password }, required: false };
  node = await startSecureZooKeeper({ sasl, properties: knowingOperator });
});
afterAll(() => node.stop());

/** Every ACL in a namespace in which there is everything that can be created, each once. */
async function aclsIn(namespace: string, options: Omit<CoordinatorOptions, 'hosts'>): Promise<readonly string[]> {
  const coordinator = await ready({ hosts: node.hosts, namespace, ...options });
  await createEverything(coordinator, 'mine');
  const client = await AclClient.open(node, operator);
  const [, ...above] = namespace.split('/').map((_, index, all) => `/${all.slice(0, index).join('/')}`);
  const paths = [...above, ...(await client.tree(`/${namespace}`))];
  for (const name of everythingOf('mine')) expect(paths).toContain(`/${namespace}/${name}`);
  // Seen by nobody else at any time: it was created so.
  for (const path of paths) expect(await client.changesOfAcl(path)).toBe(0);
  const acls = await Promise.all(paths.map((path) => client.acl(path)));
  return [...new Set(acls.map(String))];
}

it('SEC-38 keeps everything that it creates to its creator, from the first moment, by digest', async () => {
  expect(await aclsIn('a/b/digest', { credentials: alice })).toEqual([`digest:${idOf(alice)}:rwcda`]);
});

it('SEC-38 keeps everything that it creates to its creator, from the first moment, by SASL', async () => {
  const options = { credentials: alice, driverOptions: { auth: 'sasl' } };
  expect(await aclsIn('c/d/sasl', options)).toEqual(['sasl:alice:rwcda']);
});

it('SEC-38 shows nothing of it to anybody else', async () => {
  const namespace = 'closed';
  const coordinator = await ready({ hosts: node.hosts, namespace, credentials: alice });
  await createEverything(coordinator, 'mine');
  const paths = await (await AclClient.open(node, alice)).tree(`/${namespace}`);
  for (const credentials of [bob, null, { ...alice, password: 'guessed' }]) {
    const client = await AclClient.open(node, credentials);
    for (const path of paths) {
      await expect(client.read(path)).rejects.toThrow('not permitted');
      await expect(client.write(path, 'x')).rejects.toThrow('not permitted');
      await expect(client.tree(path)).rejects.toThrow('not permitted');
      await expect(client.create(`${path}/x`, 'open')).rejects.toThrow();
    }
  }
});

it('SEC-40 leaves it open to everybody without credentials, and where the options say so', async () => {
  const everybody = ['world:anyone:rwcda'];
  expect(await aclsIn('open/by-default', {})).toEqual(everybody);
  expect(await aclsIn('open/by-option', { credentials: alice, driverOptions: { acl: 'open' } })).toEqual(everybody);
});

it('SEC-40 gives everything the permissions that the options list', async () => {
  const acl = `sasl:alice:cdrwa,digest:${idOf(bob)}:r,world:anyone:r`;
  const options = { credentials: alice, driverOptions: { auth: 'sasl', acl } };
  const expected = `sasl:alice:rwcda,digest:${idOf(bob)}:r,world:anyone:r`;
  expect(await aclsIn('listed', options)).toEqual([expected]);
  const anybody = await AclClient.open(node, null);
  expect(await anybody.read('/listed/config/mine/in/a/directory')).toBe('1');
  await expect(anybody.write('/listed/config/mine/in/a/directory', '2')).rejects.toThrow('not permitted');
});

it('SEC-40 keeps it to its creator where the options say so', async () => {
  const options = { credentials: alice, driverOptions: { acl: 'creator' } };
  expect(await aclsIn('creator', options)).toEqual([`digest:${idOf(alice)}:rwcda`]);
});

it('SEC-40 works in a directory of its own, where it may not create anything above', async () => {
  const client = await AclClient.open(node, operator);
  await client.create('/apps', 'world:anyone:r');
  await client.create('/apps/alice', `digest:${idOf(alice)}:cdrwa`);
  const common = { hosts: node.hosts, credentials: alice };
  const coordinator = await ready({ ...common, namespace: 'apps/alice/in/a/directory' });
  await createEverything(coordinator, 'mine');
  expect(await refusalOf({ ...common, namespace: 'apps/bob' })).toMatchObject({ code: 'PERMISSION_DENIED' });
});
