export type {
  Backup,
  Costs,
  Harness,
  Link,
  Operator,
  ServerControl,
  WireCounts,
  World,
} from './harness.js';
export { describeConformance } from './suite.js';
