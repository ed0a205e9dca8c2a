import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { startEtcd } from '@concordat/conformance/servers';
import { Tls } from '@concordat/core/spi';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Opened, openBackend } from './support/open-backend.js';
import { SecureServers } from './support/secure-servers.js';
import { addressesOf } from './support/servers.js';

const credentials = { username: 'somebody', password: 'a-password' };

function opened(hosts: readonly string[], tls: Tls | null): Opened {
  const one = openBackend(hosts, { tls, credentials });
  onTestFinished(() => one.close());
  return one;
}

interface Impostor {
  readonly hosts: readonly string[];
  /** What it was sent so far. */
  heard(): string;
  connections: number;
}

async function impostor(answer: (socket: Socket) => void): Promise<Impostor> {
  let heard = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    one.connections += 1;
    socket.once('data', () => answer(socket));
    socket.on('data', (bytes) => (heard += bytes.toString('latin1')));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const one = { hosts: [`127.0.0.1:${String(port)}`], heard: () => heard, connections: 0 };
  return one;
}

it('SEC-15 tells that a server does not speak TLS', async () => {
  const plain = await startEtcd();
  onTestFinished(() => plain.stop());
  const { session } = opened(addressesOf(plain), new Tls({}));
  const message = expect.stringMatching(/it answers in the clear: either etcd:\/\/ is meant/) as unknown;
  await expect(session.connected()).rejects.toMatchObject({ code: 'UNAUTHENTICATED', message });
});

const greeting = '\0\0\0\x04\0\0\0\0\0';

it.each([
  ['HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ['HTTP/2', greeting],
])('SEC-16 refuses somebody in between who answers in %s instead of TLS', async (_, answer) => {
  const { hosts, heard } = await impostor((socket) => socket.write(answer, 'latin1'));
  const { session } = opened(hosts, new Tls({}));
  await expect(session.connected()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(heard()).not.toContain('PRI * HTTP/2');
});

it('SEC-16 says nothing in the clear that matters to somebody who takes TLS away', async () => {
  const man = await impostor((socket) => {
    if (man.heard().includes('PRI * HTTP/2')) socket.write(greeting, 'latin1');
    else socket.destroy();
  });
  const { session } = opened(man.hosts, new Tls({}));
  await expect(session.connected()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  await expect.poll(() => man.connections).toBeGreaterThan(4);
  expect(man.heard()).not.toMatch(/etcdserverpb|somebody|a-password/);
  expect(session.state.state).toBe('connecting');
});

it('SEC-15 tells that a server wants TLS', async () => {
  const servers = await SecureServers.create();
  onTestFinished(() => servers.stop());
  const node = await servers.start(await servers.server());
  const { session } = opened(addressesOf(node), null);
  const message = expect.stringContaining('it wants TLS: etcds:// is probably meant') as unknown;
  await expect(session.connected()).rejects.toMatchObject({ code: 'UNAUTHENTICATED', message });
});

describe.each([
  ['TLS', new Tls({})],
  ['the clear', null],
])('in %s', (_, tls) => {
  it('SEC-17 takes a server that ends connections without a word for an outage', async () => {
    const silent = await impostor((socket) => socket.destroy());
    const { session } = opened(silent.hosts, tls);
    let settled = false;
    session.connected().then(
      () => (settled = true),
      () => (settled = true),
    );
    await expect.poll(() => silent.connections).toBeGreaterThan(6);
    expect(session.trouble?.code).toBe('UNAVAILABLE');
    expect(settled).toBe(false);
  });
});

it('SEC-16 does not follow a server that gives up TLS, and goes on with it once it is back', async () => {
  const servers = await SecureServers.create();
  onTestFinished(() => servers.stop());
  const identity = await servers.server();
  const node = await servers.start(identity);
  const { session } = opened(addressesOf(node), new Tls({ ca: servers.ca }));
  await session.connected();
  await node.restart({});
  const message = expect.stringContaining('it answers in the clear') as unknown;
  await expect.poll(() => session.trouble).toMatchObject({ code: 'UNAUTHENTICATED', message });
  await expect(session.connected(1)).rejects.toMatchObject({ code: 'SESSION_LOST' });
  await expect(session.connected()).rejects.toMatchObject({ code: 'UNAUTHENTICATED', message });
  await node.restart({ tls: { ca: servers.ca, clientCertificates: false, ...identity } });
  await expect.poll(() => session.state.state).toBe('connected');
});
