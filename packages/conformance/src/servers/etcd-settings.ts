import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials } from './credentials.js';
import type { DataDirectory } from './data-directory.js';
import { type ServerTls, writeTlsFiles } from './server-tls.js';

/** What etcd gives to a user who has said the password. */
export interface AuthTokens {
  /** `simple` tokens are known to the server, which can forget them; `jwt` ones (ES256) hold what they are good for. */
  readonly kind: 'simple' | 'jwt';
  /** How long one is good, in milliseconds; a `simple` one in whole seconds, anew with each use. Default: etcd's, five minutes. */
  readonly ttlMs?: number;
}

/** What an etcd of one's own can be told. */
export interface EtcdSettings {
  /** Clients come over TLS only. */
  readonly tls?: ServerTls;
  readonly authToken?: AuthTokens;
  /** Who operates it once authentication is switched on; without, the operator is refused like anybody. */
  readonly operator?: Credentials;
  /** More of the command line, without the dashes, over what is said here: `{ 'max-request-bytes': '1000' }`. */
  readonly flags?: Readonly<Record<string, string>>;
}

/** Flags for these settings, and the files they name. */
export async function etcdFlags(directory: DataDirectory, settings: EtcdSettings): Promise<Record<string, string>> {
  const { tls, authToken, flags } = settings;
  return {
    ...(tls === undefined ? {} : await tlsFlags(directory, tls)),
    ...(authToken === undefined ? {} : await tokenFlags(directory, authToken)),
    ...flags,
  };
}

async function tlsFlags(directory: DataDirectory, tls: ServerTls): Promise<Record<string, string>> {
  const files = await writeTlsFiles(directory, tls);
  // An authority alone makes etcd ask for certificates too.
  const clients = tls.clientCertificates ? { 'trusted-ca-file': files.ca, 'client-cert-auth': 'true' } : {};
  return { 'cert-file': files.certificate, 'key-file': files.key, ...clients };
}

async function tokenFlags(directory: DataDirectory, { kind, ttlMs }: AuthTokens): Promise<Record<string, string>> {
  if (kind === 'simple') {
    return {
      'auth-token': 'simple',
      ...(ttlMs === undefined ? {} : { 'auth-token-ttl': String(Math.ceil(ttlMs / 1000)) }),
    };
  }
  const [privateKey, publicKey] = await tokenKeys(directory);
  const ttl = ttlMs === undefined ? '' : `,ttl=${ttlMs}ms`;
  return { 'auth-token': `jwt,sign-method=ES256,pub-key=${publicKey},priv-key=${privateKey}${ttl}` };
}

// Made once, so that tokens outlive a restart.
async function tokenKeys(directory: DataDirectory): Promise<readonly [privateKey: string, publicKey: string]> {
  const files = [join(directory.root, 'token-key.pem'), join(directory.root, 'token-public-key.pem')] as const;
  if (existsSync(files[0])) return files;
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  await writeFile(files[0], privateKey, { mode: 0o600 });
  await writeFile(files[1], publicKey);
  return files;
}
