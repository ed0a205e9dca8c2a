import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Credentials } from './credentials.js';
import type { DataDirectory } from './data-directory.js';
import { type ServerTls, writeTlsFiles } from './server-tls.js';

const authentication = 'org.apache.zookeeper.server.auth';

/** Users that ZooKeeper knows by SASL DIGEST-MD5. */
export interface SaslUsers {
  /** Passwords by name. */
  readonly users: Readonly<Record<string, string>>;
  /** Whether nobody else may do anything. */
  readonly required: boolean;
}

/** What a ZooKeeper of one's own can be told. */
export interface ZooKeeperSettings {
  /** Clients come over TLS, where the node says; its door stays open in the clear, on this machine. */
  readonly tls?: ServerTls;
  readonly sasl?: SaslUsers;
  /** Who operates it, whatever ACLs say: a user besides the others, with a right to everything. Without, nobody in particular. */
  readonly operator?: Credentials;
  /** More lines of `zoo.cfg`, over what is said here: `{ 'ssl.clientAuth': 'want' }`. */
  readonly configuration?: Readonly<Record<string, string>>;
  /** System properties of the virtual machine. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Where settings have to be said. */
export interface ZooKeeperLines {
  readonly configuration: Readonly<Record<string, string>>;
  readonly properties: Readonly<Record<string, string>>;
}

/** Lines and properties for these settings, and the files they name. */
export async function zooKeeperLines(directory: DataDirectory, settings: ZooKeeperSettings): Promise<ZooKeeperLines> {
  const { tls, sasl, operator } = settings;
  const named = sasl !== undefined || operator !== undefined;
  return {
    configuration: {
      ...(tls === undefined ? {} : await tlsLines(directory, tls)),
      ...(named ? { 'authProvider.1': `${authentication}.SASLAuthenticationProvider` } : {}),
      ...(sasl?.required ? { 'enforce.auth.enabled': 'true', 'enforce.auth.schemes': 'sasl' } : {}),
      ...settings.configuration,
    },
    properties: {
      ...(named ? { 'java.security.auth.login.config': await loginFile(directory, settings) } : {}),
      ...(operator === undefined ? {} : { 'zookeeper.superUser': operator.username }),
      ...settings.properties,
    },
  };
}

async function tlsLines(directory: DataDirectory, tls: ServerTls): Promise<Record<string, string>> {
  const files = await writeTlsFiles(directory, tls);
  return {
    serverCnxnFactory: 'org.apache.zookeeper.server.NettyServerCnxnFactory',
    'authProvider.x509': `${authentication}.X509AuthenticationProvider`,
    'ssl.keyStore.location': files.both,
    'ssl.keyStore.type': 'PEM',
    'ssl.trustStore.location': files.ca,
    'ssl.trustStore.type': 'PEM',
    'ssl.clientAuth': tls.clientCertificates ? 'need' : 'none',
  };
}

async function loginFile(directory: DataDirectory, { sasl, operator }: ZooKeeperSettings): Promise<string> {
  const file = join(directory.root, 'jaas.conf');
  const users = { ...sasl?.users, ...(operator === undefined ? {} : { [operator.username]: operator.password }) };
  const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
  const lines = Object.entries(users).map(([name, password]) => `${quoted(`user_${name}`)}=${quoted(password)}`);
  const login = `Server { ${authentication}.DigestLoginModule required ${lines.join(' ')}; };\n`;
  await writeFile(file, login, { mode: 0o600 });
  return file;
}
