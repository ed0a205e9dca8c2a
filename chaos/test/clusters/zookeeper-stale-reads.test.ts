import { startZooKeeperCluster } from '@concordat/conformance/servers';
import { staleReads } from './stale-reads.js';

staleReads('zookeeper', startZooKeeperCluster);
