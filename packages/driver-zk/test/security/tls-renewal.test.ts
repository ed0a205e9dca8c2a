import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateAuthority, type SecureNode, type ZooKeeperSettings } from '@concordat/conformance/servers';
import type { Coordinator, CoordinatorOptions, SessionState } from '@concordat/core';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { codeOf, ready } from './support/coordinators.js';
import { linkTo } from './support/links.js';
import { SecureServers } from './support/secure-servers.js';

let servers: SecureServers;
let strict: SecureNode<ZooKeeperSettings>;
beforeAll(async () => {
  servers = await SecureServers.create();
  strict = await servers.start({ clientCertificates: true });
});
afterAll(() => servers.stop());

let files: Readonly<Record<'ca' | 'cert' | 'key', string>>;
beforeEach(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'concordat-tls-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  files = { ca: join(directory, 'ca.pem'), cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
  await writeFile(files.ca, servers.ca);
  await issue({ expired: false });
});

async function issue({ expired }: { readonly expired: boolean }): Promise<void> {
  const { cert, key } = await servers.client('alice', expired);
  await Promise.all([writeFile(files.cert, cert), writeFile(files.key, key)]);
}

async function connected(
  hosts: CoordinatorOptions['hosts'] & object,
): Promise<{ coordinator: Coordinator; state(): SessionState }> {
  const coordinator = await ready({ hosts, secure: true, tls: files, sessionTimeoutMs: 20_000 });
  const states: SessionState[] = [];
  coordinator.session$.subscribe((state) => states.push(state));
  return {
    coordinator,
    state: () => {
      const last = states.at(-1);
      if (last === undefined) throw new Error('no state');
      return last;
    },
  };
}

const again = { state: 'connected', epoch: 1 };

it('SEC-36 shows a certificate that was renewed from the next connection on', async () => {
  const link = await linkTo(strict);
  const { coordinator, state } = await connected(link.hosts);
  await issue({ expired: true });
  expect(await codeOf(coordinator.config('a').get())).toBeNull();
  link.flap();
  await expect.poll(() => codeOf(coordinator.config('a').get())).toBe('UNAUTHENTICATED');
  await issue({ expired: false });
  await expect.poll(state).toMatchObject(again);
  expect(await codeOf(coordinator.config('a').set(1))).toBeNull();
});

it('SEC-36 goes on with what it had while files are only half written, or do not fit each other', async () => {
  const link = await linkTo(strict);
  const { coordinator, state } = await connected(link.hosts);
  const { cert, key } = await servers.client('alice');
  for (const damage of [
    () => writeFile(files.cert, cert.slice(0, cert.length / 2)),
    () => writeFile(files.key, ''),
    () => writeFile(files.key, key),
    () => writeFile(files.ca, 'nothing that anybody could read'),
    () => rm(files.ca),
  ]) {
    await damage();
    link.flap();
    await expect.poll(() => codeOf(coordinator.config('a').set(1))).toBeNull();
    expect(state()).toMatchObject(again);
  }
});

it('SEC-36 trusts an authority that took the place of another', async () => {
  const { coordinator, state } = await connected(strict.hosts);
  const next = await CertificateAuthority.create();
  const identity = await next.issue({ name: 'zookeeper', hosts: ['127.0.0.1'] });
  await strict.restart({ tls: { ...identity, ca: servers.ca, clientCertificates: true } });
  await expect.poll(() => codeOf(coordinator.config('a').get())).toBe('UNAUTHENTICATED');
  await writeFile(files.ca, next.certificate);
  await expect.poll(state).toMatchObject(again);
});
