import { startEtcdCluster } from '@concordat/conformance/servers';
import { watchesOverServers } from './watches-over-servers.js';

watchesOverServers('etcd', startEtcdCluster);
