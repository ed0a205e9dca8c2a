import { type StoreNode, startSecureZooKeeper } from '@concordat/conformance/servers';
import type { CoordinatorOptions } from '@concordat/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AclClient } from './support/acl-client.js';
import { codeOf, opened, ready, refusalOf } from './support/coordinators.js';
import { linkTo } from './support/links.js';
import { nameOf, SecureServers } from './support/secure-servers.js';

const alice = { username: 'alice', password: 'of "alice" \\ ä€' };
const operator = { username: 'operator', password: 'of the operator' };
const users = { [alice.username]: alice.password };
const driverOptions = { auth: 'sasl' };

let servers: SecureServers;
let required: StoreNode;
let optional: StoreNode;
let without: StoreNode;
let inTls: StoreNode;
let onlyDigest: StoreNode;
beforeAll(async () => {
  servers = await SecureServers.create();
  [required, optional, without, inTls, onlyDigest] = await Promise.all([
    startSecureZooKeeper({ sasl: { users, required: true }, operator }),
    startSecureZooKeeper({ sasl: { users, required: false } }),
    startSecureZooKeeper({}),
    servers.start({}, { sasl: { users, required: true } }),
    startSecureZooKeeper({ configuration: { 'enforce.auth.enabled': 'true', 'enforce.auth.schemes': 'digest' } }),
  ]);
});
afterAll(() => Promise.all([required.stop(), optional.stop(), without.stop(), onlyDigest.stop(), servers.stop()]));

function refused(node: StoreNode): object {
  const message: unknown = expect.stringContaining(`${nameOf(node)}: it refused this client (its credentials)`);
  return { code: 'UNAUTHENTICATED', message };
}

async function expectToWork(options: CoordinatorOptions): Promise<void> {
  const coordinator = await ready({ credentials: alice, driverOptions, ...options });
  await coordinator.lock('a').with(() => undefined);
  await coordinator.config('a').set(1);
}

it('SEC-43 is let in with the right password', async () => {
  await expectToWork({ hosts: required.hosts });
  await expectToWork({ hosts: optional.hosts });
  await expectToWork(servers.trusting(inTls.hosts));
});

describe.each(['required', 'optional'] as const)('where SASL is %s', (kind) => {
  it.each([
    ['a wrong password', { ...alice, password: 'guessed' }],
    ['no password', { ...alice, password: '' }],
    ['an unknown user', { username: 'mallory', password: 'guessed' }],
  ])('SEC-43 is refused with %s', async (_, credentials) => {
    const node = kind === 'required' ? required : optional;
    const options = { hosts: node.hosts, credentials, driverOptions };
    expect(await refusalOf(options)).toMatchObject(refused(node));
    expect(await codeOf(opened(options).lock('a').acquire())).toBe('UNAUTHENTICATED');
  });
});

it('SEC-43 is told that a server wants SASL', async () => {
  const message: unknown = expect.stringContaining('wants SASL');
  for (const options of [{}, { credentials: alice }]) {
    const refusal = await refusalOf({ hosts: required.hosts, ...options });
    expect(refusal).toMatchObject({ code: 'UNAUTHENTICATED', message });
  }
});

it('SEC-43 is refused by a server that knows nothing of SASL', async () => {
  expect(await refusalOf({ hosts: without.hosts, credentials: alice, driverOptions })).toMatchObject(refused(without));
});

it('SEC-46 ends its session when it closes, where SASL is required', async () => {
  const namespace = 'closed';
  const coordinator = await ready({ hosts: required.hosts, namespace, credentials: alice, driverOptions });
  await coordinator.lock('a').acquire();
  await coordinator.close();
  expect(await required.operator.keys(`${namespace}/session`)).toEqual([]);
  expect(await required.operator.keys(`${namespace}/lock`)).toEqual(['a']);
});

it.each([
  ['sasl', () => required],
  ['digest', () => onlyDigest],
] as const)(
  'SEC-46 ends its session when it closes over a new connection, where %s is required',
  async (auth, node) => {
    const link = await linkTo(node());
    const namespace = 'closed-over-another';
    const coordinator = await ready({
      ...link.options,
      namespace,
      credentials: alice,
      driverOptions: { auth },
      sessionTimeoutMs: 15_000,
    });
    await coordinator.lock('a').acquire();
    link.cut();
    const closing = coordinator.close();
    link.heal();
    await closing;
    const client = await AclClient.open(node(), alice, auth);
    expect(await client.tree(`/${namespace}/session`)).toEqual([`/${namespace}/session`]);
  },
);
