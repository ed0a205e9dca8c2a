import { startEtcdCluster } from '@concordat/conformance/servers';
import { staleReads } from './stale-reads.js';

staleReads('etcd', startEtcdCluster);
