import { describeConformance } from '@concordat/conformance';
import { etcdHarness } from '@concordat/conformance/servers';
import { etcd } from '../src/index.js';

describeConformance(etcdHarness({ driver: etcd }));
