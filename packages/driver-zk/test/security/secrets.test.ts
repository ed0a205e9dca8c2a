import {
  CertificateAuthority,
  type SecureNode,
  type StoreNode,
  startSecureZooKeeper,
  type ZooKeeperSettings,
} from '@concordat/conformance/servers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { linkTo } from './support/links.js';
import { acl, alice, encrypted, fromUrlWithFiles, guessed, passphrase, secretsWith } from './support/secrets.js';
import { SecureServers } from './support/secure-servers.js';
import { Witness } from './support/witness.js';

let servers: SecureServers;
let strict: StoreNode;
let sasl: SecureNode<ZooKeeperSettings>;
let plain: { readonly cert: string; readonly key: string };
let identity: { readonly cert: string; readonly key: string; readonly passphrase: string };
let secrets: readonly string[];
let witness: Witness;

const knowing = (password: string): ZooKeeperSettings => ({
  sasl: { users: { [alice.username]: password }, required: true },
});

beforeAll(async () => {
  servers = await SecureServers.create();
  [strict, sasl] = await Promise.all([
    servers.start({ clientCertificates: true }),
    startSecureZooKeeper(knowing(alice.password)),
  ]);
  plain = await servers.client('alice');
  identity = { cert: plain.cert, key: encrypted(plain.key), passphrase };
  secrets = secretsWith([plain.key, identity.key]);
});
afterAll(() => Promise.all([servers.stop(), sasl.stop()]));
beforeEach(() => {
  witness = new Witness();
});

it('SEC-48 tells no password where it is right, wrong, or not enough', async () => {
  const common = { hosts: sasl.hosts, namespace: 'ns' };
  const driverOptions = { auth: 'sasl' };
  await witness.use({ ...common, credentials: alice, driverOptions });
  await witness.use({ ...common, credentials: guessed, driverOptions });
  await witness.use({ ...common, credentials: alice });
  await witness.use({ ...common, credentials: alice, driverOptions: { auth: 'sasl', acl } });
  await witness.use(await fromUrlWithFiles(sasl, alice, null, 'auth=sasl'));
  await witness.use(await fromUrlWithFiles(sasl, guessed, null, 'auth=sasl'));
  witness.expectNone(secrets, ['UNAUTHENTICATED', 'CLOSED']);
});

it('SEC-48 tells no password where something is not permitted', async () => {
  const common = { hosts: [sasl.door], credentials: alice };
  const acls = { closed: 'digest:nobody:nothing:cdrwa', listed: `${acl},unheard:${acl}` };
  for (const [namespace, list] of Object.entries(acls))
    await witness.use({ ...common, namespace, driverOptions: { auth: 'sasl', acl: list } });
  witness.expectNone(secrets, ['PERMISSION_DENIED', 'INVALID_ARGUMENT']);
});

it('SEC-48 tells no key, passphrase or password over TLS, trusted or not', async () => {
  const { certificate: ca } = await CertificateAuthority.create();
  const options = { ...servers.trusting(strict.hosts, identity), credentials: alice };
  await witness.open(options).ready();
  await witness.use(options);
  await witness.use({ ...options, tls: { ...options.tls, serverName: 'elsewhere' } });
  await witness.use({ ...options, tls: { ...identity, ca } });
  await witness.use({ ...options, hosts: [strict.door] });
  await witness.use({ hosts: strict.hosts, credentials: alice });
  await witness.use(servers.trusting(strict.hosts, await servers.client('alice', true)));
  await witness.use(await fromUrlWithFiles(strict, alice, { ca: servers.ca, ...plain }, 'acl=creator'));
  await witness.use(await fromUrlWithFiles(strict, alice, { ca, ...plain }, `acl=${encodeURIComponent(acl)}`));
  witness.expectNone(secrets, ['UNAUTHENTICATED', 'CLOSED']);
});

it('SEC-48 tells no secret when a session is lost, or its password was changed', async () => {
  const link = await linkTo(sasl);
  const options = { ...link.options, credentials: alice, driverOptions: { auth: 'sasl', acl: 'creator' } };
  const coordinator = witness.open(options);
  const grant = await coordinator.lock('a').acquire();
  link.blackhole();
  await expect.poll(() => grant.signal.aborted).toBe(true);
  witness.saw(grant.signal.reason);
  link.heal();
  await coordinator.ready();
  await sasl.restart(knowing(guessed.password));
  const told = (): Promise<unknown> =>
    coordinator
      .config('a')
      .get()
      .catch((error: unknown) => error);
  await expect.poll(async () => witness.saw(await told())).toMatchObject({ code: 'UNAUTHENTICATED' });
  witness.saw(coordinator);
  await coordinator.close();
  const types = ['session-lost', 'grant-lost', 'session-closed', 'request'];
  expect([...witness.types]).toEqual(expect.arrayContaining(types));
  witness.expectNone(secrets, ['UNAUTHENTICATED', 'GRANT_LOST', 'SESSION_LOST']);
});
