import type { Host } from '@concordat/core/spi';
import type { Link } from '../../src/harness.js';

/** Where a link listens. */
export function addressOf(link: Link): Host {
  const [address] = link.options.hosts ?? [];
  if (typeof address !== 'string') throw new Error('this link has no address');
  const [host = '', port = ''] = address.split(':');
  return { host, port: Number(port) };
}
