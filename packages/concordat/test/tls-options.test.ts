import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { CertificateAuthority, type Identity } from '@concordat/conformance/servers';
import { Tls, type TlsOptions } from '@concordat/core/spi';
import { CoordinationError, createCoordinator, readUrl } from 'concordat';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';

let authority: CertificateAuthority;
let client: Identity;
let other: Identity;
let directory: string;

beforeAll(async () => {
  authority = await CertificateAuthority.create();
  client = await authority.issue({ name: 'client' });
  other = await authority.issue({ name: 'other' });
  directory = mkdtempSync(join(tmpdir(), 'concordat-tls-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (CoordinationError.is(error, 'INVALID_ARGUMENT')) return error.message;
    throw error;
  }
  throw new Error('accepted');
}

it('SEC-01 takes what to trust and whom to be from the URL, and more from the options', () => {
  const url = 'etcds://h/?ca=/tls/ca.pem&cert=/tls/cert.pem&key=/tls/key.pem&serverName=store.internal';
  expect(readUrl(url)).toMatchObject({
    secure: true,
    tls: { ca: '/tls/ca.pem', cert: '/tls/cert.pem', key: '/tls/key.pem', serverName: 'store.internal' },
  });
  expect(readUrl('zookeepers://h')).toMatchObject({ secure: true, hosts: [{ host: 'h', port: 2281 }] });
});

it('SEC-01 joins the options of the URL with those of the call', async () => {
  const [ca, cert, key] = [file('ca.pem', authority.certificate), file('c.pem', client.certificate), client.key];
  const coordinator = createCoordinator(`etcds://127.0.0.1:1/?ca=${ca}&cert=${cert}`, { tls: { key } });
  onTestFinished(() => coordinator.close());
  expect(coordinator.signal.aborted).toBe(false);
});

it('SEC-02 refuses TLS options in the clear', () => {
  const options = { tls: { ca: authority.certificate } };
  for (const scheme of ['etcd', 'zookeeper']) {
    expect(refusal(() => createCoordinator(`${scheme}://h/?serverName=x`))).toMatch(/secure: true, or the TLS form/);
    expect(refusal(() => createCoordinator(`${scheme}://h`, options))).toMatch(/secure: true, or the TLS form/);
  }
  expect(refusal(() => createCoordinator('memory:a', options))).toMatch(/a store with servers/);
});

it('SEC-03 refuses what is wrong before anything is opened, and tells nothing of it', () => {
  const wrong: readonly (readonly [TlsOptions | Record<string, unknown>, RegExp])[] = [
    [{ ca: join(directory, 'absent') }, /given as ca cannot be read \(ENOENT\)/],
    [{ ca: directory }, /given as ca cannot be read \(EISDIR\)/],
    [{ ca: file('empty', '') }, /given as ca holds no PEM text/],
    [{ ca: '-----BEGIN CERTIFICATE-----\nc2VjcmV0\n-----END CERTIFICATE-----' }, /no PEM texts/],
    [{ cert: client.certificate }, /cert and key go together/],
    [{ key: client.key }, /cert and key go together/],
    [{ cert: client.certificate, key: other.key }, /do not fit each other/],
    [{ cart: 'x' }, /unknown option "cart"/],
    [{ ca: '' }, /ca must be a string that is not empty/],
    [{ serverName: 5 }, /serverName must be a string/],
  ];
  for (const [tls, message] of wrong) {
    const said = refusal(() => createCoordinator('etcds://h', { tls }));
    expect(said).toMatch(message);
    expect(said).not.toMatch(/c2VjcmV0|PRIVATE|secret/);
  }
});

it('SEC-04 reads files again for each connection, and keeps the last that fitted while they are being renewed', () => {
  const [cert, key] = [file('cert.pem', client.certificate), file('key.pem', client.key)];
  const tls = new Tls({ ca: authority.certificate, cert, key });
  expect(tls.material()).toMatchObject({ cert: client.certificate, key: client.key });
  writeFileSync(cert, other.certificate);
  expect(tls.material()).toMatchObject({ cert: client.certificate, key: client.key });
  rmSync(key);
  expect(tls.material()).toMatchObject({ cert: client.certificate, key: client.key });
  writeFileSync(key, other.key);
  expect(tls.material()).toMatchObject({ cert: other.certificate, key: other.key });
});

it('SEC-05 shows neither key nor passphrase of an inspected object', async () => {
  const tls = { cert: client.certificate, key: client.key, passphrase: 'sesame' };
  const coordinator = createCoordinator('etcds://127.0.0.1:1', { tls });
  onTestFinished(() => coordinator.close());
  const [, lineOfKey = ''] = client.key.split('\n');
  expect(lineOfKey.length).toBeGreaterThan(20);
  for (const shown of [new Tls(tls), coordinator])
    for (const secret of ['sesame', lineOfKey])
      expect(inspect(shown, { depth: 12, showHidden: true })).not.toContain(secret);
});
