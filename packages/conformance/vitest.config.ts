import { project } from '../../vitest.shared.js';

// Clusters have a command of their own: see chaos/vitest.clusters.config.ts.
export default project('conformance', ['test/*.test.ts', 'test/!(cluster)/**/*.test.ts']);
