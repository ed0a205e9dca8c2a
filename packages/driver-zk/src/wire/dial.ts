import type { Tls } from '@concordat/core/spi';
import type { Address, AttemptFailure, NodeEvent } from '../connection.js';
import { Channel, type Ending } from './channel.js';
import type { Greeting, Welcome } from './handshake.js';
import { openSocket } from './socket.js';

// A server may grant more than was asked for, but an answer that is no welcome may read as one of 150 hours.
const longestSessionMs = 3_600_000;

// Codes of OpenSSL's alerts, each the server's word on this client's certificate, or on its not having one.
const certificateAlert =
  /^ERR_SSL_.*ALERT_(CERTIFICATE_\w+|BAD_CERTIFICATE\w*|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)$/;
const noTls = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
]);
// Of node:tls and OpenSSL, each a reason not to believe the server's certificate.
const distrust =
  /^(CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;

/** Where to, and how. */
export interface Route {
  readonly address: Address;
  readonly tls: Tls | null;
}

export interface DialFailure {
  readonly ok: false;
  readonly failure: AttemptFailure;
  readonly detail?: string;
}

export type DialResult = { readonly ok: true; readonly channel: Channel; readonly welcome: Welcome } | DialFailure;

/**
 * Connects to one server and attaches to a session, or begins one. Never rejects; `unreachable` when `signal` is aborted, which whoever
 * did that knows better.
 */
export async function dial(
  { address, tls }: Route,
  greeting: Greeting,
  signal: AbortSignal,
  onEvent: (event: NodeEvent) => void = () => undefined,
): Promise<DialResult> {
  const opened = await openSocket(address, tls, signal);
  if ('error' in opened) return failureOf(opened.error, tls);
  const channel = new Channel(opened.socket, greeting.seen, onEvent);
  const abort = (): void => channel.destroy();
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  const welcome = await channel.greet(greeting);
  signal.removeEventListener('abort', abort);
  if (welcome === null) return failureOfEnding(await channel.ended, tls);
  const failure = refusalOf(welcome, greeting);
  if (failure === null) return { ok: true, channel, welcome };
  channel.destroy();
  return { ok: false, failure };
}

function refusalOf({ identity, timeoutMs, readOnly }: Welcome, greeting: Greeting): AttemptFailure | null {
  if (timeoutMs > longestSessionMs) return 'not-zookeeper';
  // A server that hands out a new session in place of the old one says nothing about it (ClickHouse#116690).
  if (greeting.identity !== null && (timeoutMs <= 0 || identity.id !== greeting.identity.id)) return 'expired';
  if (timeoutMs <= 0) return 'not-zookeeper';
  return readOnly ? 'read-only' : null;
}

function failureOfEnding({ reason, error }: Ending, tls: Tls | null): DialFailure {
  if (reason === 'malformed') return { ok: false, failure: 'not-zookeeper' };
  return error === null ? { ok: false, failure: 'unreachable' } : failureOf(error, tls);
}

function failureOf(error: NodeJS.ErrnoException, tls: Tls | null): DialFailure {
  const code = error.code ?? '';
  if (certificateAlert.test(code)) {
    const wanted = tls?.material().cert === undefined ? 'a certificate' : 'another certificate';
    return { ok: false, failure: 'unauthenticated', detail: `it wants ${wanted}` };
  }
  if (distrust.test(code)) return { ok: false, failure: 'untrusted', detail: error.message };
  if (noTls.has(code)) return { ok: false, failure: 'not-tls' };
  return { ok: false, failure: 'unreachable', ...(code === '' ? {} : { detail: code }) };
}
