import { inspect } from 'node:util';
import { type StoreNode, startSecureZooKeeper } from '@concordat/conformance/servers';
import { parseUrl, type UrlScheme } from '@concordat/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { zookeeper } from '../../src/index.js';
import { opened, reasonOf, refusalOf, thrownBy } from './support/coordinators.js';

const secret = 'never-to-be-told';
const credentials = { username: 'alice', password: 'of alice' };
const scheme: UrlScheme = { defaultPort: 2181, secure: false, options: zookeeper.options };

let node: StoreNode;
beforeAll(async () => {
  node = await startSecureZooKeeper({});
});
afterAll(() => node.stop());

const wrong: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['an ACL without permissions', { acl: `digest:alice:${secret}` }],
  ['an ACL with unknown permissions', { acl: `digest:alice:${secret}:rwx` }],
  ['an ACL with no permissions', { acl: `digest:alice:${secret}:` }],
  ['an ACL without a scheme', { acl: `:${secret}:r` }],
  ['an ACL that is a word', { acl: secret }],
  ['an ACL that is empty', { acl: '' }],
  ['an ACL with an empty line', { acl: `digest:alice:${secret}:r,` }],
  ['an ACL whose second line is wrong', { acl: `world:anyone:r,digest:alice:${secret}` }],
  ['another way to authenticate', { auth: secret }],
  ['another transport', { transport: secret }],
];

describe.each(wrong)('%s', (_, driverOptions) => {
  it('SEC-41 is refused before anything is opened, and not repeated', () => {
    const hosts = ['127.0.0.1:1'];
    const inCode = thrownBy(() => opened({ hosts, credentials, driverOptions }));
    const query = Object.entries(driverOptions).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const url = `zookeeper://alice:of-alice@127.0.0.1:1/ns?${query.join('&')}`;
    const inUrl = thrownBy(() => opened(parseUrl(url, { zookeeper: scheme }).options));
    for (const error of [inCode, inUrl]) {
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect(inspect(error, { depth: 10 })).not.toContain(secret);
    }
  });
});

it('SEC-41 refuses a way to authenticate without anything to prove', () => {
  const error = thrownBy(() => opened({ hosts: ['127.0.0.1:1'], driverOptions: { auth: 'sasl' } }));
  expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
});

it.each([
  ['a user without a name', { username: '', password: secret }, 'digest'],
  ['a user without a name', { username: '', password: secret }, 'sasl'],
  // Which this scheme would take for another user with another password.
  ['a colon in the name of a user', { username: `a:${secret}`, password: secret }, 'digest'],
])('SEC-41 refuses %s before anything is opened', (_, someone, auth) => {
  const error = thrownBy(() => opened({ hosts: ['127.0.0.1:1'], credentials: someone, driverOptions: { auth } }));
  expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(inspect(error, { depth: 10 })).not.toContain(secret);
});

it.each([
  ['a scheme that it does not know', `unheard:${secret}:cdrwa`],
  ['an id that the scheme does not have', `digest:${secret}:cdrwa`],
])('SEC-41 tells that the server refused %s in an ACL, and does not repeat it', async (_, acl) => {
  const refusal = await refusalOf({ hosts: node.hosts, credentials, driverOptions: { acl } });
  expect(refusal).toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(inspect(refusal, { depth: 10 })).not.toContain(secret);
});

it('SEC-41 tells that nobody is known whose nodes these could be', async () => {
  const options = { hosts: node.hosts, driverOptions: { acl: 'creator' } };
  expect(await refusalOf(options)).toMatchObject({ code: 'INVALID_ARGUMENT' });
  const coordinator = opened(options);
  const refusal = await reasonOf(coordinator.lock('a').acquire());
  expect(refusal).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining('nobody is authenticated') as unknown,
  });
});
