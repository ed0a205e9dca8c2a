import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { answerChallenge, isProven } from '../../src/wire/digest-md5.js';
import { vectors } from './support/digest-vectors.js';

const chris = { username: 'chris', password: 'secret' };
// Of RFC 2831 §4.
const challenge = 'realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",qop="auth",algorithm=md5-sess,charset=utf-8';
const clientNonce = 'OA6MHXh6VqTrRk';

describe('a challenge of SASL DIGEST-MD5', () => {
  it.each(vectors)('is answered as Java does, and its proof is believed: %s', (_, vector) => {
    const answer = answerChallenge(vector.challenge, vector, vector.clientNonce);
    expect(answer?.response).toBe(vector.response);
    expect(answer !== null && isProven(answer, vector.proof)).toBe(true);
  });

  it('is answered as RFC 2831 §4 does, for our service in the place of its imap server', () => {
    const md5 = (...parts: readonly (string | Buffer)[]) =>
      createHash('md5')
        .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
        .digest();
    const secret = md5('chris:elwood.innosoft.com:secret');
    const expectedFor = (method: string, uri: string): string => {
      const first = md5(secret, ':OA6MG9tEQGm2hh:OA6MHXh6VqTrRk').toString('hex');
      const second = md5(`${method}:${uri}`).toString('hex');
      return md5(`${first}:OA6MG9tEQGm2hh:00000001:OA6MHXh6VqTrRk:auth:${second}`).toString('hex');
    };
    // The RFC's own figures, so that the recipe above is the RFC's.
    expect(expectedFor('AUTHENTICATE', 'imap/elwood.innosoft.com')).toBe('d388dad90d4bbd760a152321f2143af7');
    expect(expectedFor('', 'imap/elwood.innosoft.com')).toBe('ea40f60335c427b5527b84dbabcdfffd');
    const answer = answerChallenge(challenge, chris, clientNonce);
    expect(answer?.response).toContain(`response=${expectedFor('AUTHENTICATE', 'zookeeper/zk-sasl-md5')}`);
    expect(answer?.proof).toBe(expectedFor('', 'zookeeper/zk-sasl-md5'));
  });

  it('is answered whatever the order of its fields, the spaces between them, and what else it offers', () => {
    const answer = answerChallenge(challenge, chris, clientNonce);
    expect(answer).not.toBeNull();
    for (const same of [
      'charset=utf-8, algorithm=md5-sess, qop="auth-conf , auth,auth-int", nonce="OA6MG9tEQGm2hh", realm="elwood.innosoft.com"',
      challenge.replace('qop="auth",', ''),
      `${challenge},cipher="rc4,3des",maxbuf=2048,stale=true`,
    ])
      expect(answerChallenge(same, chris, clientNonce)).toEqual(answer);
  });

  it.each([
    ['nothing', ''],
    ['no nonce', challenge.replace('nonce', 'nounce')],
    ['no algorithm', challenge.replace(',algorithm=md5-sess', '')],
    ['another algorithm', challenge.replace('md5-sess', 'md5')],
    ['integrity alone', challenge.replace('"auth"', '"auth-int,auth-conf"')],
    ['no fields', 'NTLM please'],
    ['HTTP', 'HTTP/1.1 401 Unauthorized'],
    ['two nonces', `${challenge},nonce="another"`],
    ['two algorithms', `${challenge},algorithm=md5-sess`],
    ['2 KB, which none is', `${challenge},x="${'y'.repeat(2_048)}"`],
  ])('that has %s is not answered', (_, odd) => {
    expect(answerChallenge(odd, chris)).toBeNull();
  });

  it('may name several realms, of which the first is meant', () => {
    const answer = answerChallenge(`${challenge},realm="other"`, chris, clientNonce);
    expect(answer).toEqual(answerChallenge(challenge, chris, clientNonce));
  });

  it('holds nobody up, however long and odd it is', () => {
    const startedAt = performance.now();
    for (const odd of ['a'.repeat(200_000), `a=${'"\\'.repeat(100_000)}`, `${'a-'.repeat(100_000)}=`]) {
      expect(answerChallenge(odd, chris)).toBeNull();
      expect(isProven({ response: '', proof: 'x' }, odd)).toBe(false);
    }
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('is answered with another nonce each time, which nobody can guess', () => {
    const nonces = Array.from(
      { length: 50 },
      () => /cnonce="([^"]+)"/.exec(answerChallenge(challenge, chris)?.response ?? '')?.[1],
    );
    expect(new Set(nonces).size).toBe(50);
    expect(nonces.every((nonce) => (nonce?.length ?? 0) >= 24)).toBe(true);
  });
});

describe('the proof of a server', () => {
  const answer = answerChallenge(challenge, chris, clientNonce) ?? { response: '', proof: '' };

  it.each([
    ['is missing', ''],
    ['is empty', 'rspauth='],
    ['is another', `rspauth=${'0'.repeat(32)}`],
    ['is cut short', `rspauth=${answer.proof.slice(1)}`],
    ['is longer', `rspauth=${answer.proof}0`],
    ['is what the client itself has shown', answer.response],
    [
      'is of another user',
      `rspauth=${answerChallenge(challenge, { ...chris, username: 'eve' }, clientNonce)?.proof ?? ''}`,
    ],
    ['has another name', `response=${answer.proof}`],
  ])('is not believed when it %s', (_, given) => {
    expect(isProven(answer, given)).toBe(false);
  });

  it('is believed when it is right, quoted or not', () => {
    expect(isProven(answer, `rspauth=${answer.proof}`)).toBe(true);
    expect(isProven(answer, `rspauth="${answer.proof}"`)).toBe(true);
  });
});
