import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type ConnectionOptions, checkServerIdentity, createServer } from 'node:tls';
import type { Host } from '@concordat/core/spi';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CertificateAuthority, type Identity } from '../../src/servers/index.js';
import { answerOverTls, isUntrusted } from './over-tls.js';

let authority: CertificateAuthority;
let stranger: CertificateAuthority;
let server: Identity;

beforeAll(async () => {
  authority = await CertificateAuthority.create();
  // Of the same name, so that nothing but the key can tell them apart.
  stranger = await CertificateAuthority.create();
  server = await authority.issue({ name: 'a server', hosts: ['127.0.0.1', '::1', '2001:db8::a:1', 'store.example'] });
});

/** A server that asks every client for a certificate of the authority, and says `welcome`. */
async function listen(identity: Identity): Promise<Host> {
  const listener = createServer({
    cert: identity.certificate,
    key: identity.key,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: true,
  });
  listener.on('secureConnection', (socket) => {
    socket.on('error', () => undefined);
    socket.end('welcome');
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => {
    listener.close();
  });
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { host: address.address, port: address.port };
}

async function asClient(options: ConnectionOptions = {}): Promise<ConnectionOptions> {
  const { certificate, key } = await authority.issue({ name: 'a client' });
  return { ca: authority.certificate, cert: certificate, key, ...options };
}

const refusal = (of: Promise<unknown>) =>
  of.then(
    () => 'accepted',
    (error: unknown) => error,
  );

describe('a certificate authority', () => {
  it('issues certificates by which a server and its client know each other', async () => {
    expect(String(await answerOverTls(await listen(server), await asClient(), ''))).toBe('welcome');
  });

  it('issues a certificate for the hosts that were asked for, and no other', async () => {
    const certificate = new X509Certificate(server.certificate);
    for (const host of ['127.0.0.1', '::1', '2001:db8::a:1', 'store.example'])
      expect(checkServerIdentity(host, certificate.toLegacyObject())).toBeUndefined();
    for (const host of ['127.0.0.2', '::2', 'elsewhere.example', 'a server'])
      expect(checkServerIdentity(host, certificate.toLegacyObject())).toBeInstanceOf(Error);
    const elsewhere = answerOverTls(await listen(server), await asClient({ servername: 'elsewhere.example' }), '');
    expect(await refusal(elsewhere)).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('gives any name, as the common name', async () => {
    const { certificate } = await authority.issue({ name: 'Zoë, "the keeper"' });
    expect(new X509Certificate(certificate).toLegacyObject().subject.CN).toBe('Zoë, "the keeper"');
  });

  it('is not mistaken for another of the same name, by a client', async () => {
    const wrong = await asClient({ ca: stranger.certificate });
    await expect(answerOverTls(await listen(server), wrong, '')).rejects.toSatisfy(isUntrusted);
  });

  it('is not mistaken for another of the same name, by a server', async () => {
    const host = await listen(server);
    const { certificate: cert, key } = await stranger.issue({ name: 'a client' });
    expect(await refusal(answerOverTls(host, await asClient({ cert, key }), ''))).toBeInstanceOf(Error);
    expect(await refusal(answerOverTls(host, { ca: authority.certificate }, ''))).toBeInstanceOf(Error);
  });

  it('issues certificates that have expired, for servers and clients', async () => {
    const expired = await authority.issue({ name: 'late', hosts: ['127.0.0.1'], expired: true });
    const met = await refusal(answerOverTls(await listen(expired), await asClient(), ''));
    expect(met).toMatchObject({ code: 'CERT_HAS_EXPIRED' });
    const late = await asClient({ cert: expired.certificate, key: expired.key });
    expect(await refusal(answerOverTls(await listen(server), late, ''))).toBeInstanceOf(Error);
  });
});
