import type { SecureNode, ZooKeeperSettings } from '@concordat/conformance/servers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeOf, opened, ready, refusalOf } from './support/coordinators.js';
import { impostor } from './support/impostor.js';
import { nameOf, SecureServers } from './support/secure-servers.js';

let servers: SecureServers;
let node: SecureNode<ZooKeeperSettings>;
beforeAll(async () => {
  servers = await SecureServers.create();
  node = await servers.start({}, { configuration: { 'ssl.clientAuth': 'need' } });
});
afterAll(() => servers.stop());

const credentials = { username: 'somebody', password: 'a-password' };
// A session of 4 s.
const welcome = Buffer.from(`000000250000000000000fa0010000000000000100000010${'00'.repeat(17)}`, 'hex');

it('SEC-34 tells that a server wants TLS', async () => {
  const refusal = await refusalOf({ hosts: node.hosts, credentials });
  const message: unknown = expect.stringContaining(
    `${nameOf(node)}: it refused this client (it wants TLS: zookeepers://`,
  );
  expect(refusal).toMatchObject({ code: 'UNAUTHENTICATED', message });
});

it('SEC-34 tells that a server does not speak TLS', async () => {
  const refusal = await refusalOf(servers.trusting([node.door]));
  const message: unknown = expect.stringContaining(`${nameOf({ hosts: [node.door] })}: it does not speak TLS there`);
  expect(refusal).toMatchObject({ code: 'UNAUTHENTICATED', message });
});

it.each([
  ['ZooKeeper', welcome],
  ['HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
])('SEC-35 refuses somebody in between who answers in %s instead of TLS', async (_, answer) => {
  const man = await impostor((socket) => socket.once('data', () => socket.write(answer)));
  expect(await refusalOf({ ...servers.trusting(man.hosts), credentials })).toMatchObject({ code: 'UNAUTHENTICATED' });
});

it('SEC-35 says nothing in the clear that matters to somebody who takes TLS away', async () => {
  const man = await impostor((socket) =>
    socket.once('data', (bytes) => {
      if (bytes[0] === 0x16) socket.destroy();
      else socket.write(welcome);
    }),
  );
  const coordinator = opened({ ...servers.trusting(man.hosts), credentials, namespace: 'named/space' });
  await expect.poll(() => codeOf(coordinator.config('a').set('value'))).toBe('UNAUTHENTICATED');
  await expect.poll(() => man.connections).toBeGreaterThan(4);
  expect(man.heard).not.toMatch(/somebody|a-password|named|value/);
});

it('SEC-35 never goes on in the clear with a server that spoke TLS, and comes back when it does again', async () => {
  const own = await servers.start();
  const tls = await servers.tls();
  const coordinator = await ready({ ...servers.trusting(own.hosts), sessionTimeoutMs: 4_000 });
  const states: string[] = [];
  coordinator.session$.subscribe(({ state, epoch }) => states.push(`${state} ${String(epoch)}`));
  const grant = await coordinator.lock('a').acquire();
  await own.restart({});
  await expect.poll(() => grant.signal.aborted).toBe(true);
  await expect.poll(() => states.at(-1)).toBe('connecting 2');
  const start = performance.now();
  expect(await codeOf(coordinator.config('a').get())).toBe('UNAVAILABLE');
  expect(await codeOf(coordinator.lock('a').acquire({ timeoutMs: 500 }))).toBe('TIMEOUT');
  expect(performance.now() - start).toBeLessThan(4_000);
  await own.restart({ tls });
  await expect.poll(() => states.at(-1)).toBe('connected 2');
  expect(states).toEqual(['connected 1', 'suspended 1', 'lost 1', 'connecting 2', 'connected 2']);
});

it('SEC-35 closes in bounded time while the server answers in the clear', async () => {
  const own = await servers.start();
  const coordinator = await ready(servers.trusting(own.hosts));
  await own.restart({});
  const start = performance.now();
  await coordinator.close();
  expect(performance.now() - start).toBeLessThan(4_000);
});

it.each([true, false])(
  'SEC-34 takes a server that ends connections without a word for an outage, TLS: %s',
  async (secure) => {
    const silent = await impostor((socket) => socket.destroy());
    const coordinator = opened(secure ? servers.trusting(silent.hosts) : { hosts: silent.hosts });
    const timeout = { code: 'TIMEOUT', cause: { code: 'UNAVAILABLE' } };
    await expect(coordinator.ready({ timeoutMs: 1_500 })).rejects.toMatchObject(timeout);
    expect(silent.connections).toBeGreaterThan(2);
  },
);
