import { startZooKeeperCluster } from '../../src/servers/index.js';
import { ZooKeeperClient } from '../../src/servers/zookeeper-client.js';
import { zooKeeperKind } from '../../src/servers/zookeeper-kind.js';
import { clusterFaults, namespace } from './faults.js';

clusterFaults(zooKeeperKind, startZooKeeperCluster, async (host, key) => {
  const client = await ZooKeeperClient.open(host);
  return () => client.create(`/${namespace}/${key}`, Buffer.of(1));
});
