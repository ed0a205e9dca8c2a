import type { Host } from '@concordat/core/spi';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { EtcdGateway } from '../../src/servers/etcd-gateway.js';
import {
  CertificateAuthority,
  type EtcdSettings,
  type Identity,
  type SecureNode,
  type ServerTls,
  startSecureEtcd,
} from '../../src/servers/index.js';
import { answerOverTls, isUntrusted } from './over-tls.js';

// HTTP/2's preface and empty settings; the answer begins with the server's own settings.
const hello = Buffer.from('505249202a20485454502f322e300d0a0d0a534d0d0a0d0a000000040000000000', 'hex');
const settingsFrame = 4;

let authority: CertificateAuthority;
let stranger: CertificateAuthority;
let server: Identity;

beforeAll(async () => {
  authority = await CertificateAuthority.create();
  stranger = await CertificateAuthority.create();
  server = await authority.issue({ name: 'etcd', hosts: ['127.0.0.1'] });
});

async function start(settings: EtcdSettings): Promise<SecureNode<EtcdSettings>> {
  const node = await startSecureEtcd(settings);
  onTestFinished(() => node.stop());
  return node;
}

const tls = (clientCertificates: boolean, identity = server): ServerTls => ({
  ...identity,
  ca: authority.certificate,
  clientCertificates,
});

/** The type of the first frame that etcd answers, or why there is none. */
async function answer(node: SecureNode<EtcdSettings>, client?: Identity, ca = authority.certificate): Promise<unknown> {
  const options = { ca, ALPNProtocols: ['h2'], ...(client && { cert: client.certificate, key: client.key }) };
  return answerOverTls(addressOf(node), options, hello).then(
    (bytes) => bytes[3],
    (error: unknown) => error,
  );
}

function addressOf({ hosts: [host] }: SecureNode<EtcdSettings>): Host {
  if (host === undefined) throw new Error('no host');
  return host;
}

describe('an etcd that wants certificates of its clients', () => {
  it('answers a client of its authority over TLS, and refuses others', async () => {
    const node = await start({ tls: tls(true) });
    expect(node.url).toMatch(/^etcds:/);
    expect(await answer(node, await authority.issue({ name: 'a client' }))).toBe(settingsFrame);
    expect(await answer(node, await stranger.issue({ name: 'a client' }))).toBeInstanceOf(Error);
    expect(await answer(node)).toBeInstanceOf(Error);
    await expect(new EtcdGateway(addressOf(node)).memberNames()).rejects.toThrow();
  });
});

describe('an etcd with a certificate', () => {
  it('answers any client that trusts it', async () => {
    const node = await start({ tls: tls(false) });
    expect(await answer(node)).toBe(settingsFrame);
    expect(await answer(node, undefined, stranger.certificate)).toSatisfy(isUntrusted);
  });

  it('is operated through a door of its own, and starts again with another certificate, or in the clear', async () => {
    const node = await start({ tls: tls(false) });
    await node.operator.write('keep', 'key', Buffer.from('1'));
    await node.control.kill();
    await node.control.start();
    expect(await answer(node)).toBe(settingsFrame);

    const expired = await authority.issue({ name: 'late', hosts: ['127.0.0.1'], expired: true });
    await node.restart({ tls: tls(false, expired) });
    expect(await answer(node)).toMatchObject({ code: 'CERT_HAS_EXPIRED' });
    expect(await node.operator.keys('keep')).toEqual(['key']);

    await node.restart({});
    expect(node.door).toEqual(addressOf(node));
    expect(await answer(node)).toBeInstanceOf(Error);
    expect(await node.operator.keys('keep')).toEqual(['key']);
  });

  it('takes whatever else its command line has', async () => {
    const node = await start({ flags: { 'max-request-bytes': '2000' } });
    await node.operator.write('short', 'key', Buffer.alloc(100));
    await expect(node.operator.write('long', 'key', Buffer.alloc(4000))).rejects.toThrow(/too large/);
  });
});
