import { onTestFinished } from 'vitest';
import type { Attempt, Connection } from '../../../src/connection.js';
import { readSecurity } from '../../../src/security.js';
import { TrafficCount } from '../../../src/traffic.js';
import { WireTransport } from '../../../src/wire/transport.js';
import { addressOf } from './dialling.js';

export interface Connecting extends Partial<Attempt> {
  readonly credentials?: { readonly username: string; readonly password: string };
}

/** A connection by the wire transport, for a new session of 6 s unless said otherwise; severed when the test is over. */
export async function connected(port: number, options: Connecting = {}): Promise<Connection> {
  const { credentials = null, ...attempt } = options;
  const security = readSecurity({ credentials, extra: {} });
  const result = await new WireTransport({ tls: null }, security, new TrafficCount()).connect({
    address: addressOf(port),
    sessionTimeoutMs: 6_000,
    limitMs: 10_000,
    resume: null,
    signal: new AbortController().signal,
    ...attempt,
  });
  if (!result.ok) throw new Error(`not connected: ${result.failure}`);
  const { connection } = result;
  onTestFinished(() => connection.sever());
  return connection;
}
