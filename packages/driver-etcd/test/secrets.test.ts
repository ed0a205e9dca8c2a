import { createPrivateKey } from 'node:crypto';
import { inspect } from 'node:util';
import { CertificateAuthority } from '@concordat/conformance/servers';
import { CoordinationError, type Coordinator, type CoordinatorOptions, createCoordinator } from '@concordat/core';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { etcd } from '../src/index.js';
import { freshNamespace } from './support/open-backend.js';
import { SecureServers } from './support/secure-servers.js';
import { govern, type Realm } from './support/users.js';

const password = 'pass-9d1f';
const passphrase = 'phrase-77c2';
const namespace = freshNamespace();

let servers: SecureServers;
let realm: Realm;
let tls: { readonly ca: string; readonly cert: string; readonly key: string; readonly passphrase: string };
beforeAll(async () => {
  servers = await SecureServers.create();
  realm = await govern(await servers.start(await servers.server(), { clientCertificates: true }));
  await realm.accounts.addUser('somebody', password, `${namespace}/`);
  tls = await clientOf(servers.authority);
});
afterAll(() => servers.stop());

async function clientOf(authority: CertificateAuthority): Promise<typeof tls> {
  const { certificate: cert, key } = await authority.issue({ name: 'nobody' });
  const locked = createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase });
  return { ca: servers.ca, cert, key: locked.toString(), passphrase };
}

class Gossip {
  readonly codes = new Set<unknown>();
  readonly texts: string[] = [];

  /** Answers the code of an error. */
  hear(value: unknown): unknown {
    for (let error = value; error instanceof Error; error = error.cause)
      this.texts.push(error.message, String(error.stack), JSON.stringify(error));
    this.texts.push(inspect(value, { depth: 10, showHidden: true, maxArrayLength: null, maxStringLength: null }));
    if (!CoordinationError.is(value)) return null;
    this.codes.add(value.code);
    return value.code;
  }

  /** Opens a coordinator, does something with it, and hears whatever it says. */
  async about(options: Partial<CoordinatorOptions>, act: (one: Coordinator) => Promise<unknown>): Promise<void> {
    try {
      const given = { credentials: { username: 'somebody', password }, tls, secure: true, ...options };
      const one = createCoordinator(etcd, { hosts: realm.node.hosts, namespace, ...short, ...given });
      one.events$.subscribe((event) => void this.hear(event));
      one.session$.subscribe((state) => void this.hear(state));
      await act(one).catch((error: unknown) => this.hear(error));
      this.hear(one);
      await one.close();
    } catch (error) {
      this.hear(error);
    }
  }
}

const short = { sessionTimeoutMs: 3_000, allowShortSession: true };
const ready = (one: Coordinator): Promise<unknown> => one.ready({ timeoutMs: 2_000 });

it('SEC-27 shows no password, token, key or passphrase to anybody, whatever goes wrong', async () => {
  const setting = vi.spyOn(grpc.Metadata.prototype, 'set');
  const gossip = new Gossip();
  const stranger = await clientOf(await CertificateAuthority.create());
  await gossip.about({ tls: { ...tls, ca: stranger.cert } }, ready);
  await gossip.about({ tls: { ...tls, cert: stranger.cert, key: stranger.key } }, ready);
  await gossip.about({ tls: { ...tls, passphrase: `${passphrase}-wrong` } }, ready);
  await gossip.about({ hosts: [realm.node.door] }, ready);
  await gossip.about({ hosts: ['127.0.0.1:1'] }, ready);
  await gossip.about({ credentials: { username: 'somebody', password: `${password}-wrong` } }, ready);
  await gossip.about({ namespace: 'of-others' }, ready);
  await gossip.about({}, async (one) => {
    const codeOfGet = (): Promise<unknown> =>
      one
        .config('a')
        .get()
        .catch((error: unknown) => gossip.hear(error));
    await one.ready();
    await realm.accounts.forbid('somebody', `${namespace}/`);
    await codeOfGet();
    await realm.accounts.permit('somebody', `${namespace}/`);
    await realm.accounts.setPassword('somebody', 'another');
    await expect.poll(codeOfGet).toBe('UNAUTHENTICATED');
  });
  const tokens = setting.mock.calls.filter(([name]) => name === 'token').map(([, token]) => String(token));
  expect(tokens.length).toBeGreaterThan(0);
  expect([...gossip.codes].sort()).toEqual(['INVALID_ARGUMENT', 'PERMISSION_DENIED', 'TIMEOUT', 'UNAUTHENTICATED']);
  const keys = [tls, stranger].map(({ key }) => key.split('\n')[1] ?? '');
  const all = gossip.texts.join('\n');
  for (const secret of [password, passphrase, ...keys, ...tokens]) expect(all).not.toContain(secret);
});
