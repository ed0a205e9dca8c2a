import { type Driver, specVersion } from '@concordat/core/spi';
import { EtcdBackend } from './backend.js';

/**
 * Concordat on etcd 3.4 or later.
 *
 * Sessions are leases: etcd grants at least 1.5 election timeouts (2 s by default) and counts whole seconds. Before 3.5 its leader keeps lease
 * time by the wall clock, so that a step of that clock ends sessions early or late.
 *
 * @example
 * ```ts
 * import { createCoordinator } from '@concordat/core';
 * import { etcd } from '@concordat/driver-etcd';
 *
 * const coordinator = createCoordinator(etcd, { hosts: ['127.0.0.1:2379'] });
 * await coordinator.lock('nightly').with(() => console.log('alone'));
 * await coordinator.close();
 * ```
 */
export const etcd: Driver = {
  schemes: ['etcd', 'etcds'],
  specVersion,
  options: [],
  capabilities: {
    tokenSource: 'revision',
    clockSource: 'monotonic',
    maxValueBytes: 1_000_000,
    sessionFloorMs: 2_000,
  },
  open: (options) => new EtcdBackend(options),
};
