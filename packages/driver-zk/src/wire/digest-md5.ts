import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Credentials } from '../security.js';

// What ZooKeeper's own client and servers call the service, whatever the host (SaslServerPrincipal, ZooKeeperSaslServer).
const service = 'zookeeper/zk-sasl-md5';
const count = '00000001';
const longestMessage = 2_048;

/** What a challenge is answered with, and what the server has to prove in return. */
export interface DigestResponse {
  readonly response: string;
  readonly proof: string;
}

/**
 * Answers a challenge of SASL DIGEST-MD5 (RFC 2831), with `qop=auth`: the password stays here. `null` for a challenge that is none, or wants
 * what is not offered.
 */
export function answerChallenge(
  challenge: string,
  { username, password }: Credentials,
  clientNonce = randomBytes(24).toString('base64'),
): DigestResponse | null {
  const fields = readFields(challenge);
  const nonce = fields.get('nonce');
  const qualities = fields
    .get('qop')
    ?.split(',')
    .map((quality) => quality.trim()) ?? ['auth'];
  if (nonce === undefined || fields.get('algorithm') !== 'md5-sess' || !qualities.includes('auth')) return null;
  const realm = fields.get('realm') ?? '';
  const unicode = fields.get('charset') === 'utf-8';
  const secret = md5(
    Buffer.concat([encoded(username, unicode), colon, encoded(realm, unicode), colon, encoded(password, unicode)]),
  );
  const first = hex(md5(Buffer.concat([secret, Buffer.from(`:${nonce}:${clientNonce}`)])));
  const respond = (method: string): string =>
    hex(md5(`${first}:${nonce}:${count}:${clientNonce}:auth:${hex(md5(`${method}:${service}`))}`));
  const response = [
    ...(unicode ? ['charset=utf-8'] : []),
    `username=${quoted(username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `nc=${count}`,
    `cnonce=${quoted(clientNonce)}`,
    `digest-uri=${quoted(service)}`,
    'maxbuf=65536',
    `response=${respond('AUTHENTICATE')}`,
    'qop=auth',
  ].join(',');
  return { response, proof: respond('') };
}

/** Whether the server knows the password as well. */
export function isProven({ proof }: DigestResponse, answer: string): boolean {
  const given = Buffer.from(readFields(answer).get('rspauth') ?? '');
  const expected = Buffer.from(proof);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const colon = Buffer.from(':');

// RFC 2831 §2.1.2.1: text that fits in ISO 8859-1 is hashed in that, also where both sides speak UTF-8.
function encoded(text: string, unicode: boolean): Buffer {
  const isNarrow = Buffer.from(text, 'latin1').toString('latin1') === text;
  return Buffer.from(text, unicode && !isNarrow ? 'utf8' : 'latin1');
}

// What is longer, or says anything but a realm twice, is none of this scheme's messages (RFC 2831 §2.1.1, §2.1.3).
function readFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  if (text.length >= longestMessage) return fields;
  for (const [, name = '', quotedValue, value = ''] of text.matchAll(/([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^,]*))/g)) {
    if (!fields.has(name)) fields.set(name, quotedValue === undefined ? value : quotedValue.replaceAll(/\\(.)/g, '$1'));
    else if (name !== 'realm') return new Map();
  }
  return fields;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

function md5(data: Buffer | string): Buffer {
  return createHash('md5').update(data).digest();
}

function hex(data: Buffer): string {
  return data.toString('hex');
}
