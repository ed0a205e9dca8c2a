import { CoordinationError, type Driver, specVersion } from '@concordat/core/spi';
import { ZooKeeperBackend } from './backend.js';
import { loadTransport } from './transport.js';

function refuseTls(): Promise<never> {
  return Promise.reject(new CoordinationError('UNSUPPORTED', 'npm `zookeeper` has no TLS'));
}

/**
 * Coordination over Apache ZooKeeper, `zookeeper://host:2181/namespace`.
 *
 * Needs npm `zookeeper`, a native client that is compiled at installation and serves the main thread only; it is loaded on first
 * use. Queues are laid out as Apache Curator lays them out, so both exclude each other on one path.
 *
 * @example
 * ```ts
 * import { createCoordinator } from '@concordat/core';
 * import { zookeeper } from '@concordat/driver-zk';
 *
 * const coordinator = createCoordinator(zookeeper, { hosts: [{ host: '127.0.0.1', port: 2181 }], namespace: 'shop' });
 * await coordinator.lock('stock').with(async (grant) => console.log(grant.token));
 * ```
 */
export const zookeeper: Driver = {
  schemes: ['zookeeper'],
  specVersion,
  options: [],
  capabilities: {
    tokenSource: 'zxid',
    clockSource: 'monotonic',
    maxValueBytes: 1_000_000,
    // A session lasts at least two ticks, and a tick is 2 s unless configured.
    sessionFloorMs: 4_000,
  },
  open: (options) => new ZooKeeperBackend(options, options.secure ? refuseTls : loadTransport),
};
