import { expect, it } from 'vitest';
import { doubtOf, isAnswerInTls, WrongNameError } from '../src/tls-failures.js';

function failure(code: string): Error {
  return Object.assign(new Error('a text of OpenSSL'), { code });
}

// Node.js 20 writes SSLV3 where later ones write SSL/TLS.
it.each([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its certificate is from an authority that is not trusted', true],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'its certificate is from an authority that is not trusted', true],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is from an authority that is not trusted', true],
  ['CERT_HAS_EXPIRED', 'its certificate has expired', true],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet', true],
  ['CERT_REVOKED', 'its certificate was revoked', true],
  ['INVALID_PURPOSE', 'its certificate cannot be verified', true],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'it refused the certificate of this client', true],
  ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 'it refused the certificate of this client', true],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'it refused the certificate of this client', true],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'it refused the certificate of this client', true],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'it refused this kind of TLS', true],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'it refused this kind of TLS', true],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it answers in the clear', false],
])('says of %s that %s', (code, words, inTls) => {
  expect(doubtOf(failure(code), true)).toMatch(new RegExp(`^${words}.* \\(${code}\\)$`));
  expect(isAnswerInTls(failure(code))).toBe(inTls);
});

it.each([
  'ECONNRESET',
  'EPIPE',
  'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR',
  'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
  '',
])('takes "%s" for something that may pass', (code) => {
  expect(doubtOf(failure(code), true)).toBeNull();
});

it('tells a client without a certificate from one whose certificate is refused', () => {
  const refused = failure('ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE');
  expect(doubtOf(refused, false)).toContain('it asks for a certificate of this client, and there is none');
});

it('passes on which names a certificate is for', () => {
  const wrong = new WrongNameError('its certificate is for DNS:a, not for b');
  expect(doubtOf(wrong, true)).toBe('its certificate is for DNS:a, not for b');
  expect(isAnswerInTls(wrong)).toBe(true);
});
