import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { CoordinationError, Session, systemClock } from '@concordat/core/spi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ZooKeeperBackend } from '../src/backend.js';
import { freePort, TestServer } from './support/server.js';

const packageDirectory = fileURLToPath(new URL('..', import.meta.url));

/** A program that opens a backend and says what became of it. */
const program = (port: number, body: string) => `
  import { Session, systemClock, Call } from '@concordat/core/spi';
  import { zookeeper } from '@concordat/driver-zk';
  const session = new Session({ clock: systemClock });
  const call = new Call(Infinity);
  const backend = zookeeper.open({
    hosts: [{ host: '127.0.0.1', port: ${String(port)} }], namespace: 'load', sessionTimeoutMs: 6000, requestTimeoutMs: 2000,
    credentials: null, secure: false, clock: systemClock, session, storeName: '', extra: {},
  });
  ${body}
`;

describe('loading', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('refuses with a remedy where the native client cannot be loaded, and closes', async () => {
    const session = new Session({ clock: systemClock });
    const refusal = new CoordinationError('DRIVER_UNAVAILABLE', 'compile it');
    const options = {
      hosts: [{ host: '127.0.0.1', port: await freePort() }],
      namespace: 'load',
      sessionTimeoutMs: 6_000,
      requestTimeoutMs: 2_000,
      credentials: null,
      secure: false,
      clock: systemClock,
      session,
      storeName: '',
      extra: {},
    };
    const backend = new ZooKeeperBackend(options, () => Promise.reject(refusal));
    await expect(session.connected()).rejects.toBe(refusal);
    session.close();
    await backend.close(1_000);
  });

  it('refuses in a worker thread', async () => {
    const body = `
      const { parentPort } = await import('node:worker_threads');
      session.connected().then(() => parentPort.postMessage('connected'), (error) => parentPort.postMessage(error.message));
    `;
    const source = program(server.port, body).replaceAll(
      /import (\{.*\}) from ('.*');/g,
      (_, names: string, from: string) =>
        `const ${names} = await import(${JSON.stringify(import.meta.resolve(from.slice(1, -1)))});`,
    );
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
    const [message] = (await once(worker, 'message')) as [string];
    expect(message).toMatch(/DRIVER_UNAVAILABLE.*worker thread/);
    await worker.terminate();
  });

  it('keeps the process alive while it is open, and lets it exit once it is closed', async () => {
    const body = `
      await session.connected();
      await backend.put('config/a', new Uint8Array([1]), { expect: 'any' }, call);
      session.close();
      await backend.close(1000);
      console.log('closed');
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program(server.port, body)], {
      cwd: packageDirectory,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child.stdout, 'data').then(() => performance.now());
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
    expect(performance.now() - (await closed)).toBeLessThan(500);
  });
});
