import type { CoordinatorOptions, TlsOptions } from '@concordat/core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { opened, thrownBy } from './support/coordinators.js';
import { acl, alice, encrypted, fromUrl, passphrase, secretsWith } from './support/secrets.js';
import { SecureServers } from './support/secure-servers.js';
import { Witness } from './support/witness.js';

let plain: { readonly cert: string; readonly key: string };
let other: { readonly cert: string; readonly key: string };
let secrets: readonly string[];
let witness: Witness;
beforeAll(async () => {
  const servers = await SecureServers.create();
  [plain, other] = await Promise.all([servers.client('alice'), servers.client('bob')]);
  secrets = secretsWith([plain.key, other.key]);
});
beforeEach(() => {
  witness = new Witness();
});

function expectRefused(options: () => CoordinatorOptions): void {
  const error = thrownBy(() => opened(options()));
  expect(error).toMatchObject({ code: expect.stringMatching(/^(INVALID_ARGUMENT|UNSUPPORTED)$/) as unknown });
  witness.saw(error);
}

it('SEC-48 tells nothing of certificates and keys that it refuses', () => {
  const body = plain.key.split('\n').slice(1, -2).join('\n');
  const key = encrypted(plain.key);
  secrets = [...secrets, ...secretsWith([key])];
  const wrong: readonly TlsOptions[] = [
    { cert: plain.cert, key },
    { cert: plain.cert, key, passphrase: `${passphrase}-of-another` },
    { cert: other.cert, key: plain.key },
    { cert: plain.cert, key: plain.key.slice(0, plain.key.length / 2) },
    { cert: plain.cert, key: body },
    { cert: plain.cert, key: `${body}\0` },
    { cert: plain.cert, key: body.repeat(100) },
    { cert: plain.key, key: plain.cert },
    { key: plain.key },
    { ca: plain.key.replace('PRIVATE KEY', 'CERTIFICATE') },
  ];
  for (const tls of wrong) expectRefused(() => ({ hosts: ['127.0.0.1:1'], secure: true, credentials: alice, tls }));
  expectRefused(() => ({ hosts: ['127.0.0.1:1'], credentials: alice, tls: plain }));
  witness.expectNone(secrets, ['INVALID_ARGUMENT']);
});

it('SEC-48 tells nothing of what is secret in a URL that it refuses', () => {
  const { username, password } = alice;
  const start = `zookeepers://${username}:${password}@127.0.0.1/ns`;
  for (const url of [
    `zookeepers://${username}:${password}@127.0.0.1:x/ns`,
    `zookeepers://${username}:${password}/@127.0.0.1/ns`,
    `zookeepers://${username}:${password}%zz@127.0.0.1/ns`,
    `zookeepers://:${password}@127.0.0.1/ns`,
    `zookeepers:${username}:${password}@127.0.0.1/ns`,
    `zookeeperz://${username}:${password}@127.0.0.1/ns`,
    `${start}?passphrase=${passphrase}`,
    `${start}?acl=${acl.slice(0, -5)}`,
    `${start}?auth=${password}`,
    `${start}?transport=${password}`,
    `${start}?transport=native&acl=${acl}`,
    `${start}?cert=${plain.cert.length.toString()}&key=${encodeURIComponent(plain.key)}`,
  ])
    expectRefused(() => fromUrl(url));
  witness.expectNone(secrets, ['INVALID_ARGUMENT', 'UNSUPPORTED']);
});
