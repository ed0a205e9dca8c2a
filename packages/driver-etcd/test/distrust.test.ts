import { CertificateAuthority, type StoreNode } from '@concordat/conformance/servers';
import { Tls, type TlsOptions } from '@concordat/core/spi';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Opened, openBackend } from './support/open-backend.js';
import { SecureServers } from './support/secure-servers.js';
import { addressesOf } from './support/servers.js';

let servers: SecureServers;
let good: StoreNode;
let elsewhere: StoreNode;
let expired: StoreNode;
let strict: StoreNode;
beforeAll(async () => {
  servers = await SecureServers.create();
  [good, elsewhere, expired, strict] = await Promise.all([
    servers.start(await servers.server()),
    servers.start(await servers.server({ hosts: ['elsewhere.internal'] })),
    servers.start(await servers.server({ expired: true })),
    servers.start(await servers.server(), { clientCertificates: true }),
  ]);
});
afterAll(() => servers.stop());

function opened(nodes: readonly StoreNode[], options: TlsOptions = {}): Opened {
  const one = openBackend(nodes.flatMap(addressesOf), { tls: new Tls({ ca: servers.ca, ...options }) });
  onTestFinished(() => one.close());
  return one;
}

async function refusalOf({ session }: Opened): Promise<unknown> {
  const start = performance.now();
  const refusal = await session.connected().catch((error: unknown) => error);
  expect(performance.now() - start).toBeLessThan(4_000 / 3);
  return refusal;
}

function refusedBy(node: StoreNode, reason: string): object {
  const message = expect.stringContaining(`${addressesOf(node).join()}: ${reason}`) as unknown;
  return { code: 'UNAUTHENTICATED', message };
}

it('SEC-11 refuses a server whose certificate is from an authority that is not trusted', async () => {
  const { certificate: ca } = await CertificateAuthority.create();
  const refusal = await refusalOf(opened([good], { ca }));
  expect(refusal).toMatchObject(refusedBy(good, 'its certificate is from an authority that is not trusted'));
  const byDefault = openBackend(addressesOf(good), { tls: new Tls({}) });
  onTestFinished(() => byDefault.close());
  expect(await refusalOf(byDefault)).toMatchObject(refusedBy(good, 'its certificate is from an authority'));
});

it('SEC-11 refuses a server whose certificate is for another host', async () => {
  const refusal = await refusalOf(opened([elsewhere]));
  expect(refusal).toMatchObject(
    refusedBy(elsewhere, 'its certificate is for DNS:elsewhere.internal, not for 127.0.0.1'),
  );
  const byName = await refusalOf(opened([good], { serverName: 'elsewhere.internal' }));
  expect(byName).toMatchObject({ code: 'UNAUTHENTICATED' });
});

it('SEC-11 refuses a server whose certificate has expired', async () => {
  expect(await refusalOf(opened([expired]))).toMatchObject(refusedBy(expired, 'its certificate has expired'));
});

it('SEC-12 tells a client that has no certificate, or one that is not accepted', async () => {
  const without = await refusalOf(opened([strict]));
  expect(without).toMatchObject(refusedBy(strict, 'it asks for a certificate of this client, and there is none'));
  const stranger = await CertificateAuthority.create();
  const { certificate: cert, key } = await stranger.issue({ name: 'client' });
  const refusal = await refusalOf(opened([strict], { cert, key }));
  expect(refusal).toMatchObject(refusedBy(strict, 'it refused the certificate of this client'));
});

it('SEC-13 passes over servers that it does not trust', async () => {
  for (let round = 0; round < 4; round += 1) {
    const { session, backend, call } = opened([elsewhere, expired, good, strict]);
    await session.connected();
    await backend.get('config/a', 'linearizable', call());
  }
});

it('SEC-13 is refused once all servers are, and says so of each', async () => {
  const refusal = await refusalOf(opened([elsewhere, expired]));
  expect(refusal).toMatchObject(refusedBy(elsewhere, 'its certificate is for'));
  expect(refusal).toMatchObject(refusedBy(expired, 'its certificate has expired'));
});

it('SEC-13 keeps waiting while one server cannot be reached', async () => {
  const one = openBackend([...addressesOf(expired), '127.0.0.1:1'], { tls: new Tls({ ca: servers.ca }) });
  onTestFinished(() => one.close());
  let settled = false;
  one.session.connected().then(
    () => (settled = true),
    () => (settled = true),
  );
  const troubles = new Set<string | undefined>();
  await expect
    .poll(() => [...troubles.add(one.session.trouble?.message.replace(/^.*(expired|ECONNREFUSED).*$/s, '$1'))])
    .toEqual(expect.arrayContaining(['expired', 'ECONNREFUSED']));
  expect(settled).toBe(false);
  expect(one.session.trouble?.code).toBe('UNAVAILABLE');
});

it('SEC-13 takes a server that was not trusted and cannot be reached now for one that cannot be reached', async () => {
  const node = await servers.start(await servers.server({ expired: true }));
  const { session } = opened([node]);
  await expect(session.connected()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await node.stop();
  await expect
    .poll(() => session.trouble)
    .toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('ECONNREFUSED') as unknown });
});
