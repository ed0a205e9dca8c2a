import { parseUrl } from '@concordat/core';
import { describe, expect, it } from 'vitest';
import { zookeeper } from '../../src/index.js';
import { opened, thrownBy } from './support/coordinators.js';
import { impostor } from './support/impostor.js';

const credentials = { username: 'alice', password: 'never-to-be-told' };
const native = { transport: 'native' };
const schemes = {
  zookeeper: { defaultPort: 2181, secure: false, options: zookeeper.options },
  zookeepers: { defaultPort: 2281, secure: true, options: zookeeper.options },
};

const wanting = [
  ['TLS', { secure: true, driverOptions: native }, 'zookeepers://HOST/ns?transport=native'],
  [
    'credentials',
    { credentials, driverOptions: native },
    'zookeeper://alice:never-to-be-told@HOST/ns?transport=native',
  ],
  ['an ACL', { driverOptions: { ...native, acl: 'open' } }, 'zookeeper://HOST/ns?transport=native&acl=open'],
  [
    'credentials over TLS',
    { credentials, secure: true, driverOptions: { ...native, auth: 'sasl' } },
    'zookeepers://alice:never-to-be-told@HOST/ns?transport=native&auth=sasl',
  ],
] as const;

describe.each(wanting)('%s with the native client', (_, options, url) => {
  it('SEC-49 is refused before anything is sent', async () => {
    const server = await impostor(() => undefined);
    const [host = ''] = server.hosts;
    const message: unknown = expect.stringMatching(/^(?!.*never-to-be-told).*transport=wire/);
    for (const given of [{ hosts: [host], ...options }, parseUrl(url.replace('HOST', host), schemes).options])
      expect(thrownBy(() => opened(given))).toMatchObject({ code: 'UNSUPPORTED', message });
    expect(server.connections).toBe(0);
  });
});
