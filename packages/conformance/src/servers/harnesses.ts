import type { Driver } from '@concordat/core/spi';
import type { Costs, Harness, World } from '../harness.js';
import type { StoreNode } from './node.js';
import { startEtcd, startZooKeeper } from './start.js';

/** What a driver brings to a harness made here. */
export interface HarnessOptions {
  readonly driver: Driver;
  /** Session timeout of the suite's coordinators, in milliseconds. Default 4,000: short, and four seconds of patience for a pause. */
  readonly sessionTimeoutMs?: number;
  /** Options only this driver has, by name. */
  readonly driverOptions?: Readonly<Record<string, string>>;
  /** What its operations cost, where that is not what the suite asks of every driver for this store. */
  readonly costs?: Costs;
}

// One transaction creates and lists; a waiter opens a watch, and ends it when it looks again.
const etcdCosts: Costs = {
  acquire: { requests: 1, writes: 1, notifications: 0 },
  release: { requests: 1, writes: 1, notifications: 0 },
  handOver: { requests: 2, writes: 0, notifications: 1 },
};

// Create, which answers the stat, and listing travel together; a waiter lists again.
const zooKeeperCosts: Costs = {
  acquire: { requests: 2, writes: 1, notifications: 0 },
  release: { requests: 1, writes: 1, notifications: 0 },
  handOver: { requests: 1, writes: 0, notifications: 1 },
};

/** Brings a driver for etcd to the suite, with a server of its own for each {@link Harness.start}. */
export function etcdHarness(options: HarnessOptions): Harness {
  return harness('etcd', startEtcd, etcdCosts, options);
}

/** Brings a driver for ZooKeeper to the suite, with a server of its own for each {@link Harness.start}. */
export function zookeeperHarness(options: HarnessOptions): Harness {
  return harness('zookeeper', startZooKeeper, zooKeeperCosts, options);
}

function harness(name: string, startNode: () => Promise<StoreNode>, costs: Costs, options: HarnessOptions): Harness {
  const start = async (): Promise<World> => {
    const node = await startNode();
    return { link: () => node.link(), server: node.control, operator: node.operator, stop: () => node.stop() };
  };
  return { name, sessionTimeoutMs: 4_000, costs, ...options, start };
}
