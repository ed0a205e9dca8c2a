import { freePort } from '@concordat/conformance/servers';
import { CoordinationError, Session, systemClock } from '@concordat/core/spi';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ZooKeeperBackend } from '../src/backend.js';
import { program, run } from './support/program.js';
import { TestServer } from './support/server.js';

describe('loading', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('refuses with a remedy where the transport cannot be loaded, and closes', async () => {
    const session = new Session({ clock: systemClock });
    const refusal = new CoordinationError('DRIVER_UNAVAILABLE', 'compile it');
    const options = {
      hosts: [{ host: '127.0.0.1', port: await freePort() }],
      namespace: 'load',
      sessionTimeoutMs: 6_000,
      requestTimeoutMs: 2_000,
      credentials: null,
      tls: null,
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

  it('keeps the process alive while it is open, and lets it exit once it is closed', async () => {
    const options = { port: server.port, driverOptions: inject('driverOptions') };
    const { lingeredMs, ...ended } = await run(program('open-and-close'), JSON.stringify(options));
    expect(ended).toEqual({ code: 0, stdout: 'closed\n', stderr: '' });
    expect(lingeredMs).toBeLessThan(500);
  });
});
