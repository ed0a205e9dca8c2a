import { describeConformance } from '@concordat/conformance';
import { zookeeperHarness } from '@concordat/conformance/servers';
import { zookeeper } from '../src/index.js';

describeConformance(zookeeperHarness({ driver: zookeeper }));
