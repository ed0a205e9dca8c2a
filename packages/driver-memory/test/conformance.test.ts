import { describeConformance } from '@concordat/conformance';
import { harness } from './harness.js';

describeConformance(harness);
