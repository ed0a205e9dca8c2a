import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoreNode } from '@concordat/conformance/servers';
import { type CoordinatorOptions, parseUrl, type TlsOptions } from '@concordat/core';
import { onTestFinished } from 'vitest';
import { zookeeper } from '../../../src/index.js';
import { idOf } from './operator.js';

export const alice = { username: 'alice', password: 'secret-password-of-alice' };
export const guessed = { ...alice, password: 'secret-password-that-is-wrong' };
export const passphrase = 'secret-passphrase';
/** Holds the digest of a password, which is nearly as good as that. */
export const acl = `digest:${idOf(alice)}:cdrwa`;

const passwords = [alice.password, guessed.password, `${alice.username}:${alice.password}`];
const { options } = zookeeper;
const schemes = {
  zookeeper: { defaultPort: 2181, secure: false, options },
  zookeepers: { defaultPort: 2281, secure: true, options },
};

/** The options of a coordinator's URL. */
export function fromUrl(url: string): CoordinatorOptions {
  return parseUrl(url, schemes).options;
}

/** The same key, encrypted with {@link passphrase}. */
export function encrypted(key: string): string {
  const how = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase } as const;
  return createPrivateKey(key).export(how).toString();
}

/** Every text that must not be told, with each line of these keys. */
export function secretsWith(keys: readonly string[]): readonly string[] {
  const lines = keys.flatMap((key) => key.split('\n')).filter((line) => line !== '' && !line.startsWith('-----'));
  const inBase64 = passwords.map((password) => Buffer.from(password).toString('base64'));
  return [...passwords, ...inBase64, passphrase, idOf(alice), ...lines];
}

/** Options that a URL says, with files for what would be too long; removed with the test. */
export async function fromUrlWithFiles(
  { hosts: [host] }: StoreNode,
  { username, password }: typeof alice,
  tls: TlsOptions | null,
  query: string,
): Promise<CoordinatorOptions> {
  const directory = await mkdtemp(join(tmpdir(), 'concordat-secrets-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const files = Object.entries(tls ?? {}).map(async ([name, text]) => {
    const file = join(directory, name);
    await writeFile(file, String(text));
    return `${name}=${encodeURIComponent(file)}`;
  });
  const scheme = tls === null ? 'zookeeper' : 'zookeepers';
  const server = `${String(host?.host)}:${String(host?.port)}`;
  return fromUrl(
    `${scheme}://${username}:${password}@${server}/ns?${[query, ...(await Promise.all(files))].join('&')}`,
  );
}
