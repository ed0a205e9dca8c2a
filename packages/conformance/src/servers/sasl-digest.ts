import { createHash, randomBytes } from 'node:crypto';
import type { Credentials } from './credentials.js';

// ZooKeeper's servers call themselves this, whatever their host is.
const service = 'zookeeper/zk-sasl-md5';
const firstUse = '00000001';

/** Answers a challenge of SASL DIGEST-MD5 (RFC 2831): proves that the password is known, without saying it. */
export function answerToChallenge(challenge: Buffer, { username, password }: Credentials): Buffer {
  const text = challenge.toString('utf8');
  const [realm, nonce] = [directive(text, 'realm'), directive(text, 'nonce')];
  const ownNonce = randomBytes(16).toString('hex');
  const secret = md5(`${username}:${realm}:${password}`);
  const session = md5(Buffer.concat([secret, Buffer.from(`:${nonce}:${ownNonce}`)])).toString('hex');
  const request = md5(`AUTHENTICATE:${service}`).toString('hex');
  const response = md5(`${session}:${nonce}:${firstUse}:${ownNonce}:auth:${request}`).toString('hex');
  return Buffer.from(
    [
      'charset=utf-8',
      `username=${quoted(username)}`,
      `realm=${quoted(realm)}`,
      `nonce=${quoted(nonce)}`,
      `nc=${firstUse}`,
      `cnonce=${quoted(ownNonce)}`,
      `digest-uri=${quoted(service)}`,
      'qop=auth',
      `response=${response}`,
    ].join(','),
  );
}

function directive(challenge: string, name: string): string {
  return new RegExp(`(?:^|,)\\s*${name}="([^"]*)"`).exec(challenge)?.[1] ?? '';
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function md5(input: string | Buffer): Buffer {
  return createHash('md5').update(input).digest();
}
