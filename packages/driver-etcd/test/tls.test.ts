import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoreNode } from '@concordat/conformance/servers';
import { Tls, type TlsOptions } from '@concordat/core/spi';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Opened, openBackend } from './support/open-backend.js';
import { SecureServers } from './support/secure-servers.js';
import { addressesOf, hostsOf, linkTo } from './support/servers.js';

let servers: SecureServers;
let node: StoreNode;
let named: StoreNode;
let strict: StoreNode;
// Node.js warns of each thing only once.
const warnings: string[] = [];
const warned = ({ message }: Error): void => void warnings.push(message);
beforeAll(async () => {
  process.on('warning', warned);
  servers = await SecureServers.create();
  node = await servers.start(await servers.server());
  named = await servers.start(await servers.server({ hosts: ['etcd.internal'] }));
  strict = await servers.start(await servers.server(), { clientCertificates: true });
});
afterAll(() => {
  process.off('warning', warned);
  return servers.stop();
});

function opened(hosts: readonly string[], options: TlsOptions = {}): Opened {
  const one = openBackend(hosts, { tls: new Tls({ ca: servers.ca, ...options }) });
  onTestFinished(() => one.close());
  return one;
}

async function expectToWork({ session, backend, call }: Opened): Promise<void> {
  await session.connected();
  const seen: unknown[] = [];
  backend.watch('config/a').subscribe((register) => seen.push(register?.owner));
  await backend.put('config/a', Buffer.from('1'), { expect: 'absent' }, call());
  await expect.poll(() => seen.at(-1)).toBeNull();
  await backend.confirm(call());
}

it('SEC-10 works over TLS with a server by its address and by its name', async () => {
  const [address = ''] = addressesOf(node);
  await expectToWork(opened([address]));
  await expectToWork(opened([address.replace('127.0.0.1', 'localhost')]));
});

it('SEC-10 takes the name that a certificate has to be for from the options', async () => {
  await expectToWork(opened(addressesOf(named), { serverName: 'etcd.internal' }));
});

it('SEC-12 shows its certificate to a server that asks for one', async () => {
  const { certificate: cert, key } = await servers.authority.issue({ name: 'client' });
  await expectToWork(opened(addressesOf(strict), { cert, key }));
});

it('SEC-14 uses certificates that were renewed from the next connection on', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'concordat-tls-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const files = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
  const issue = async (expired: boolean): Promise<void> => {
    const { certificate, key } = await servers.authority.issue({ name: 'client', expired });
    await Promise.all([writeFile(files.cert, certificate), writeFile(files.key, key)]);
  };
  await issue(false);
  const link = await linkTo(strict);
  const { session, backend, call } = opened(hostsOf(link), files);
  await session.connected();
  await issue(true);
  link.flap();
  await expect.poll(() => session.trouble?.message).toContain('it refused the certificate of this client');
  await issue(false);
  await expect.poll(() => session.state.state).toBe('connected');
  await backend.confirm(call());
  expect(session.epoch).toBe(1);
});

it('SEC-10 says nothing to the process about names that are addresses', async () => {
  await opened(addressesOf(node)).session.connected();
  expect(warnings).toEqual([]);
});
