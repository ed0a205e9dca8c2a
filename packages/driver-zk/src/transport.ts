import { CoordinationError, type OpenOptions } from '@concordat/core/spi';
import type { Transport } from './connection.js';
import { loadNativeTransport } from './native/transport.js';
import { readSecurity } from './security.js';
import type { TrafficCount } from './traffic.js';
import { WireTransport } from './wire/transport.js';

/** Brings up a transport; rejects `DRIVER_UNAVAILABLE` or `UNSUPPORTED`. */
export type LoadTransport = (traffic: TrafficCount) => Promise<Transport>;

/**
 * Which transport the options ask for: `wire`, unless `transport` says `native`.
 *
 * @throws {CoordinationError} `INVALID_ARGUMENT` for options that are wrong, and `UNSUPPORTED` for those that the native client cannot do.
 */
export function chooseTransport(options: Pick<OpenOptions, 'tls' | 'credentials' | 'extra'>): LoadTransport {
  const { transport = 'wire' } = options.extra;
  const security = readSecurity(options);
  if (transport === 'wire') return (traffic) => Promise.resolve(new WireTransport(options, security, traffic));
  if (transport !== 'native') throw new CoordinationError('INVALID_ARGUMENT', 'transport must be wire or native');
  const { tls, extra } = options;
  // What it created would be open to everybody until the ACL came in a second request, or for good.
  const needsAcl = security.credentials !== null || 'acl' in extra;
  const lacking = tls === null ? (needsAcl ? 'cannot create nodes with an ACL' : null) : 'has no TLS';
  if (lacking !== null)
    throw new CoordinationError('UNSUPPORTED', `transport=native: npm \`zookeeper\` ${lacking}; transport=wire does`);
  return (traffic) => loadNativeTransport(security, traffic);
}
