import { project } from '../vitest.shared.js';

// Three servers of a kind for each file, and faults that take their time: `npm run test:clusters`.
export default project('clusters', [
  'chaos/test/clusters/**/*.test.ts',
  'packages/conformance/test/cluster/**/*.test.ts',
]);
