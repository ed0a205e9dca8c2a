import { CertificateAuthority, type StoreNode } from '@concordat/conformance/servers';
import type { CoordinatorOptions } from '@concordat/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { opened, ready, refusalOf } from './support/coordinators.js';
import { nameOf, SecureServers } from './support/secure-servers.js';

let servers: SecureServers;
let good: StoreNode;
let named: StoreNode;
let expired: StoreNode;
beforeAll(async () => {
  servers = await SecureServers.create();
  [good, named, expired] = await Promise.all([
    servers.start(),
    servers.start({ hosts: ['localhost', 'zookeeper.internal'] }),
    servers.start({ expired: true }),
  ]);
});
afterAll(() => servers.stop());

async function expectToWork(options: CoordinatorOptions): Promise<void> {
  const coordinator = await ready(options);
  await coordinator.config('a').set(1);
  expect(await coordinator.config('a').get()).toMatchObject({ value: 1 });
}

function byName({ hosts }: StoreNode): string[] {
  return hosts.map(({ port }) => `localhost:${String(port)}`);
}

function distrust(server: string, reason: RegExp): object {
  const message: unknown = expect.stringMatching(
    new RegExp(`${server}: its certificate is not trusted.*${reason.source}`),
  );
  return { code: 'UNAUTHENTICATED', message };
}

it('SEC-30 works over TLS with a server whose certificate is for the address, or the name, that was dialled', async () => {
  await expectToWork(servers.trusting(good.hosts));
  await expectToWork(servers.trusting(byName(named)));
});

it('SEC-30 takes the name that a certificate has to be for from the options', async () => {
  await expectToWork(servers.trusting(named.hosts, { serverName: 'zookeeper.internal' }));
  const refusal = await refusalOf(servers.trusting(good.hosts, { serverName: 'zookeeper.internal' }));
  expect(refusal).toMatchObject(distrust(nameOf(good), /zookeeper\.internal\. is not .*cert/));
});

it('SEC-31 refuses a server whose certificate is from an authority that is not trusted', async () => {
  const { certificate: ca } = await CertificateAuthority.create();
  const refusal = await refusalOf(servers.trusting(good.hosts, { ca }));
  expect(refusal).toMatchObject(distrust(nameOf(good), /unable to verify/));
  const byDefault = await refusalOf({ hosts: good.hosts, secure: true });
  expect(byDefault).toMatchObject(distrust(nameOf(good), /unable to verify/));
});

it('SEC-31 refuses a server whose certificate is for another host', async () => {
  const byAddress = await refusalOf(servers.trusting(named.hosts));
  expect(byAddress).toMatchObject(distrust(nameOf(named), /127\.0\.0\.1 is not .*cert/));
  const [name = ''] = byName(good);
  expect(await refusalOf(servers.trusting([name]))).toMatchObject(distrust(name, /localhost\. is not .*cert/));
});

it('SEC-31 refuses a server whose certificate has expired', async () => {
  const refusal = await refusalOf(servers.trusting(expired.hosts));
  expect(refusal).toMatchObject(distrust(nameOf(expired), /expired/));
});

it('SEC-33 passes over servers that it does not trust', async () => {
  for (let round = 0; round < 4; round += 1)
    await expectToWork(servers.trusting([named, expired, good].flatMap(({ hosts }) => hosts)));
});

it('SEC-33 is refused once every server is', async () => {
  const refusal = await refusalOf(servers.trusting([...named.hosts, ...expired.hosts]));
  expect(refusal).toMatchObject({ code: 'UNAUTHENTICATED' });
});

it('SEC-33 waits as long as a server may come that can be trusted', async () => {
  const coordinator = opened(servers.trusting([...expired.hosts, '127.0.0.1:1']));
  const message: unknown = expect.stringContaining(`${nameOf(expired)}: its certificate is not trusted`);
  const timeout = { code: 'TIMEOUT', message, cause: { code: 'UNAVAILABLE' } };
  await expect(coordinator.ready({ timeoutMs: 1_500 })).rejects.toMatchObject(timeout);
});

it('SEC-33 is refused by a host as soon as one of its addresses is, whatever the others do', async () => {
  // There is nobody on the address of IPv6 that this name has as well.
  const refusal = await refusalOf(servers.trusting(byName(good)));
  expect(refusal).toMatchObject({ code: 'UNAUTHENTICATED' });
});
