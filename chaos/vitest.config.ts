import { project } from '../vitest.shared.js';

// Those on clusters have a command of their own: see vitest.clusters.config.ts.
export default project('chaos', ['test/checkers/**/*.test.ts', 'test/report/**/*.test.ts', 'test/run/**/*.test.ts']);
