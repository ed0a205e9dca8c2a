import { etcdKind } from '../../src/servers/etcd-kind.js';
import { EtcdOperator } from '../../src/servers/etcd-operator.js';
import { startEtcdCluster } from '../../src/servers/index.js';
import { clusterFaults, namespace } from './faults.js';

clusterFaults(etcdKind, startEtcdCluster, async (host, key) => {
  const operator = new EtcdOperator(host);
  return () => operator.write(namespace, key, Buffer.of(1));
});
