import { type Driver, specVersion } from '@concordat/core/spi';
import { ZooKeeperBackend } from './backend.js';
import { chooseTransport } from './transport.js';

/**
 * Coordination over Apache ZooKeeper, `zookeeper://host:2181/namespace`.
 *
 * Speaks ZooKeeper's protocol itself, over TLS with `zookeepers://`. Options: `acl` (who may touch what is created: `creator`, `open`, or lines such as
 * `sasl:alice:cdrwa,world:anyone:r`; default `creator` with credentials, `open` without), `auth` (`digest` or `sasl`: how credentials are
 * proven), `transport` (`wire`, or `native` for npm `zookeeper`, which is compiled at installation, serves the main thread only, and has neither TLS
 * nor ACLs). Queues are laid out as Apache Curator lays them out, so both exclude each other on one path.
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
  schemes: ['zookeeper', 'zookeepers'],
  specVersion,
  options: ['transport', 'auth', 'acl'],
  capabilities: {
    tokenSource: 'zxid',
    clockSource: 'monotonic',
    maxValueBytes: 1_000_000,
    // A session lasts at least two ticks, and a tick is 2 s unless configured.
    sessionFloorMs: 4_000,
  },
  open: (options) => new ZooKeeperBackend(options, chooseTransport(options)),
};
