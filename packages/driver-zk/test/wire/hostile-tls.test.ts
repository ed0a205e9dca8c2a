import { once } from 'node:events';
import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { CertificateAuthority } from '@concordat/conformance/servers';
import { Tls } from '@concordat/core/spi';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { dial } from '../../src/wire/dial.js';
import { HostilePeer } from './support/hostile-peer.js';

/** What a peer adds to, or does after, the first flight of a good TLS server. */
type Spoiling = (flight: Buffer) => readonly Uint8Array[];

describe('a TLS peer that spoils its own handshake', () => {
  let tls: Tls;
  let port: number;
  let close: () => void;

  beforeAll(async () => {
    const authority = await CertificateAuthority.create();
    const { certificate, key } = await authority.issue({ name: 'server', hosts: ['127.0.0.1'] });
    const server = createServer({ cert: certificate, key }, (socket) => socket.on('error', () => undefined));
    server.on('tlsClientError', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
    close = () => void server.close();
    tls = new Tls({ ca: authority.certificate });
  });
  afterAll(() => close());

  async function spoiled(spoil: Spoiling, closes: boolean) {
    const peer = await HostilePeer.start((socket) => {
      const server = connect(port, '127.0.0.1');
      server.on('error', () => undefined);
      socket.on('data', (bytes) => server.write(bytes));
      socket.on('close', () => server.destroy());
      server.once('data', (flight) => {
        // In one segment, so that it is read in one go.
        socket.write(Buffer.concat(spoil(flight)));
        if (closes) socket.end();
      });
    });
    onTestFinished(() => peer.close());
    const signal = AbortSignal.timeout(closes ? 10_000 : 200);
    const result = await dial({ address: peer.address, tls }, { identity: null, seen: 0n, timeoutMs: 6_000 }, signal);
    await expect.poll(() => peer.open).toBe(0);
    return result;
  }

  it.each([
    ['garbage behind it', (flight: Buffer) => [flight, Buffer.alloc(64, 0x41)]],
    ['a record that cannot be decrypted behind it', (flight: Buffer) => [flight, recordOf(23, Buffer.alloc(64))]],
    ['a fatal alert in the clear behind it', (flight: Buffer) => [flight, recordOf(21, Buffer.of(2, 40))]],
    ['garbage instead of it', () => [Buffer.alloc(64, 0x41)]],
    ['half of it', (flight: Buffer) => [flight.subarray(0, flight.length / 2)]],
    ['nothing', () => []],
  ] as const)('by %s is refused in a word, and harms nobody', async (_, spoil) => {
    for (const closes of [true, false]) {
      const result = await spoiled(spoil, closes);
      expect(['not-tls', 'unreachable']).toContain(result.ok ? 'dialled' : result.failure);
    }
  });
});

function recordOf(type: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(type, 3, 3, 0, content.length), content]);
}
