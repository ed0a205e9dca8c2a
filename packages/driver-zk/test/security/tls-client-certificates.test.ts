import { createHash } from 'node:crypto';
import { CertificateAuthority, type StoreNode } from '@concordat/conformance/servers';
import type { CoordinatorOptions, TlsOptions } from '@concordat/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AclClient } from './support/acl-client.js';
import { codeOf, opened, ready, refusalOf } from './support/coordinators.js';
import { nameOf, SecureServers } from './support/secure-servers.js';

const operator = { username: 'super', password: 'of the operator' };
const digest = createHash('sha1').update('super:of the operator').digest('base64');
const properties = { 'zookeeper.DigestAuthenticationProvider.superDigest': `super:${digest}` };
const newer = {
  'ssl.protocol': 'TLSv1.3',
  'ssl.enabledProtocols': 'TLSv1.3',
  'ssl.ciphersuites': 'TLS_AES_128_GCM_SHA256',
};

let servers: SecureServers;
let strict: StoreNode;
let strictNewer: StoreNode;
let easy: StoreNode;
beforeAll(async () => {
  servers = await SecureServers.create();
  [strict, strictNewer, easy] = await Promise.all([
    servers.start({ clientCertificates: true }, { properties }),
    servers.start({ clientCertificates: true }, { configuration: newer }),
    servers.start(),
  ]);
});
afterAll(() => servers.stop());

const versions = ['1.2', '1.3'] as const;
const over = (version: (typeof versions)[number]): StoreNode => (version === '1.2' ? strict : strictNewer);

function creating({ hosts }: StoreNode, tls: TlsOptions = {}): CoordinatorOptions {
  return { ...servers.trusting(hosts, tls), driverOptions: { acl: 'creator' } };
}

function refused(node: StoreNode, reason: string): object {
  const message: unknown = expect.stringContaining(`${nameOf(node)}: it refused this client (${reason})`);
  return { code: 'UNAUTHENTICATED', message };
}

describe.each(versions)('over TLS %s', (version) => {
  it('SEC-32 shows its certificate to a server that asks for one', async () => {
    const coordinator = await ready(servers.trusting(over(version).hosts, await servers.client('alice')));
    await coordinator.lock('a').acquire();
  });

  it('SEC-32 is told that its certificate is missing', async () => {
    const refusal = await refusalOf(servers.trusting(over(version).hosts));
    expect(refusal).toMatchObject(refused(over(version), 'it wants a certificate'));
  });

  it('SEC-32 is told that its certificate is not accepted', async () => {
    const { certificate: cert, key } = await (await CertificateAuthority.create()).issue({ name: 'alice' });
    for (const tls of [{ cert, key }, await servers.client('alice', true)]) {
      const refusal = await refusalOf(servers.trusting(over(version).hosts, tls));
      expect(refusal).toMatchObject(refused(over(version), 'it wants another certificate'));
    }
  });
});

it('SEC-34 tells that a server wants TLS, whether or not it would take this client', async () => {
  for (const node of [strict, easy])
    expect(await refusalOf({ hosts: node.hosts })).toMatchObject(
      refused(node, 'it wants TLS: zookeepers:// is probably meant'),
    );
});

it('SEC-47 creates nodes that belong to the subject of its certificate', async () => {
  const namespace = 'of-a-certificate';
  const alice = await ready({ ...creating(strict, await servers.client('alice')), namespace });
  await alice.lock('a').acquire();
  await alice.config('a').set(1);
  const client = await AclClient.open(strict, operator);
  const paths = await client.tree(`/${namespace}`);
  expect(paths.length).toBeGreaterThan(6);
  for (const path of paths) expect(await client.acl(path)).toEqual(['x509:CN=alice:rwcda']);

  expect(await refusalOf({ ...creating(strict, await servers.client('bob')), namespace })).toMatchObject({
    code: 'PERMISSION_DENIED',
  });
  const again = await ready({ ...creating(strict, await servers.client('alice')), namespace });
  expect(await again.config('a').get()).toMatchObject({ value: 1 });
});

it('SEC-47 is told that nobody is known to the server whose nodes these could be', async () => {
  expect(await refusalOf(creating(easy))).toMatchObject({ code: 'INVALID_ARGUMENT' });
  const coordinator = opened(creating(easy));
  await expect.poll(() => codeOf(coordinator.config('a').set(1))).toBe('INVALID_ARGUMENT');
});

it('SEC-47 takes subjects of several parts for permissions', async () => {
  const acl = 'x509:CN=alice,OU=shop,O=somebody:cdrwa,x509:CN=bob:r,world:anyone:cdrwa';
  const namespace = 'of-several-parts';
  await ready({ ...servers.trusting(strict.hosts, await servers.client('alice')), namespace, driverOptions: { acl } });
  const client = await AclClient.open(strict, operator);
  const lines = ['x509:CN=alice,OU=shop,O=somebody:rwcda', 'x509:CN=bob:r', 'world:anyone:rwcda'];
  expect(await client.acl(`/${namespace}`)).toEqual(lines);
});
