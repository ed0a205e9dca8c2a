// Codes of X.509 and TLS as Node.js has them. They go into messages, the texts beside them do not: those hold addresses of memory.
const untrusted =
  /^(UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT|GET_ISSUER_CERT_LOCALLY)|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?|CERT_(UNTRUSTED|REJECTED|SIGNATURE_FAILURE)|INVALID_CA)$/;
const unverified = /^(UNABLE_TO_|CERT_|CRL_|ERROR_IN_C|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)/;
const clientRefused = /_ALERT_\w*CERTIFICATE|_ALERT_(UNKNOWN_CA|ACCESS_DENIED)$/;
const kindRefused =
  /_ALERT_(HANDSHAKE_FAILURE|PROTOCOL_VERSION|INSUFFICIENT_SECURITY|NO_APPLICATION_PROTOCOL)$|_UNSUPPORTED_PROTOCOL$|_UNRECOGNIZED_NAME$/;
const noTls =
  /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_LAYER_FAILURE|HTTP_REQUEST|HTTPS_PROXY_REQUEST)$/;

/** What is said of a server that answered a TLS client in another language. */
export const answersInTheClear =
  'it answers in the clear: either etcd:// is meant, or somebody in between has taken TLS away';

/** What is said of a server that closed a connection in the clear, and answers to TLS. */
export const wantsTls = 'it wants TLS: etcds:// is probably meant';

/** A certificate that is good, but not for the server that was asked for. */
export class WrongNameError extends Error {
  override readonly name = 'WrongNameError';
}

/**
 * Why a server cannot be trusted, or does not trust this client, in words; `null` when it is something that may pass.
 *
 * @param presented whether this client has a certificate.
 */
export function doubtOf(error: Error, presented: boolean): string | null {
  if (error instanceof WrongNameError) return error.message;
  const code = codeOf(error);
  const words = wordsFor(code, presented);
  return words === null ? null : `${words} (${code})`;
}

/** True when whatever it was that failed, the other side had answered in TLS. */
export function isAnswerInTls(error: Error): boolean {
  const code = codeOf(error);
  return (
    error instanceof WrongNameError ||
    untrusted.test(code) ||
    unverified.test(code) ||
    /^ERR_SSL_.*ALERT_|^ERR_TLS_CERT/.test(code)
  );
}

function wordsFor(code: string, presented: boolean): string | null {
  if (untrusted.test(code)) return 'its certificate is from an authority that is not trusted';
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (code === 'CERT_NOT_YET_VALID') return 'its certificate is not valid yet';
  if (code === 'CERT_REVOKED') return 'its certificate was revoked';
  if (unverified.test(code)) return 'its certificate cannot be verified';
  if (clientRefused.test(code))
    return presented
      ? 'it refused the certificate of this client'
      : 'it asks for a certificate of this client, and there is none';
  if (kindRefused.test(code)) return 'it refused this kind of TLS';
  return noTls.test(code) ? answersInTheClear : null;
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
