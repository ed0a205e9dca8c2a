export { etcdHarness, type HarnessOptions, zookeeperHarness } from './harnesses.js';
export { StoreNode } from './node.js';
export { startEtcd, startZooKeeper } from './start.js';
