import { startZooKeeperCluster } from '@concordat/conformance/servers';
import { watchesOverServers } from './watches-over-servers.js';

watchesOverServers('zookeeper', startZooKeeperCluster);
