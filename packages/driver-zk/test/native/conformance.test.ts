import { describeConformance } from '@concordat/conformance';
import { zookeeperHarness } from '@concordat/conformance/servers';
import type { Driver } from '@concordat/core/spi';
import { inject } from 'vitest';
import { zookeeper } from '../../src/index.js';

// ERR-10 gives a password and looks for it everywhere. This transport refuses all, without showing any: SEC-49.
const withoutCredentials: Driver = {
  ...zookeeper,
  open: (options) => zookeeper.open({ ...options, credentials: null }),
};

describeConformance(
  zookeeperHarness({
    driver: withoutCredentials,
    driverOptions: inject('driverOptions'),
    // Create, which answers no stat, and listing travel together; then the own node is read, and watched from then on.
    costs: {
      acquire: { requests: 3, writes: 1, notifications: 0 },
      release: { requests: 1, writes: 1, notifications: 1 },
      handOver: { requests: 1, writes: 0, notifications: 1 },
      // It has no call that takes a watch back.
      permitNotifications: 6,
    },
  }),
);
