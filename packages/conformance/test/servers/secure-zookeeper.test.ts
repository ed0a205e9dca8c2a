import type { Host } from '@concordat/core/spi';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  CertificateAuthority,
  type Identity,
  type SecureNode,
  type ServerTls,
  startSecureZooKeeper,
  type ZooKeeperSettings,
} from '../../src/servers/index.js';
import { JuteWriter } from '../../src/servers/jute.js';
import { ZooKeeperClient } from '../../src/servers/zookeeper-client.js';
import { answerOverTls, isUntrusted } from './over-tls.js';

const hello = new JuteWriter().int(0).long(0n).int(10_000).long(0n).bytes(Buffer.alloc(16)).bool(false).frame();
// A frame of its length, the protocol version 0, and a timeout that was granted.
const welcome = /^0000002500000000(?!00000000)/;

let authority: CertificateAuthority;
let stranger: CertificateAuthority;
let server: Identity;

beforeAll(async () => {
  authority = await CertificateAuthority.create();
  stranger = await CertificateAuthority.create();
  server = await authority.issue({ name: 'zookeeper', hosts: ['127.0.0.1'] });
});

async function start(settings: ZooKeeperSettings): Promise<SecureNode<ZooKeeperSettings>> {
  const node = await startSecureZooKeeper(settings);
  onTestFinished(() => node.stop());
  return node;
}

const tls = (clientCertificates: boolean, identity = server): ServerTls => ({
  ...identity,
  ca: authority.certificate,
  clientCertificates,
});

/** What ZooKeeper answers to a client that opens a session, in hexadecimal, or why it does not. */
async function answer(
  node: SecureNode<ZooKeeperSettings>,
  client?: Identity,
  ca = authority.certificate,
): Promise<unknown> {
  const options = { ca, ...(client && { cert: client.certificate, key: client.key }) };
  return answerOverTls(addressOf(node), options, hello).then(
    (bytes) => bytes.toString('hex'),
    (error: unknown) => error,
  );
}

function addressOf({ hosts: [host] }: SecureNode<ZooKeeperSettings>): Host {
  if (host === undefined) throw new Error('no host');
  return host;
}

describe('a ZooKeeper that wants certificates of its clients', () => {
  it('answers a client of its authority over TLS, and refuses others', async () => {
    const node = await start({ tls: tls(true) });
    expect(node.url).toMatch(/^zookeepers:/);
    expect(await answer(node, await authority.issue({ name: 'a client' }))).toMatch(welcome);
    expect(await answer(node, await stranger.issue({ name: 'a client' }))).toBeInstanceOf(Error);
    expect(await answer(node)).toBeInstanceOf(Error);
    await expect(ZooKeeperClient.open(addressOf(node), { limitMs: 500 })).rejects.toThrow();
  });

  it('takes whatever else its configuration has', async () => {
    const wanting = { 'ssl.clientAuth': 'want' };
    const node = await start({ tls: tls(true), configuration: wanting, properties: { 'jute.maxbuffer': '2000' } });
    expect(await answer(node)).toMatch(welcome);
    await node.operator.write('short', 'key', Buffer.alloc(100));
    await expect(node.operator.write('long', 'key', Buffer.alloc(4000))).rejects.toThrow();
  });
});

describe('a ZooKeeper with a certificate', () => {
  it('answers any client that trusts it', async () => {
    const node = await start({ tls: tls(false) });
    expect(await answer(node)).toMatch(welcome);
    expect(await answer(node, undefined, stranger.certificate)).toSatisfy(isUntrusted);
  });

  it('is operated through a door of its own, and starts again with another certificate, or in the clear', async () => {
    const node = await start({ tls: tls(false) });
    await node.operator.write('keep', 'key', Buffer.from('1'));
    await node.control.kill();
    await node.control.start();
    expect(await answer(node)).toMatch(welcome);

    const expired = await authority.issue({ name: 'late', hosts: ['127.0.0.1'], expired: true });
    await node.restart({ tls: tls(false, expired) });
    expect(await answer(node)).toMatchObject({ code: 'CERT_HAS_EXPIRED' });
    expect(await node.operator.keys('keep')).toEqual(['key']);

    await node.restart({});
    expect(node.door).toEqual(addressOf(node));
    expect(await answer(node)).toBeInstanceOf(Error);
    expect(await node.operator.keys('keep')).toEqual(['key']);
  });
});
