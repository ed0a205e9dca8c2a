import { mergeConfig } from 'vitest/config';
import { project } from '../vitest.shared.js';

// Each is a process that takes a processor for itself.
export default mergeConfig(project('mutants', ['test/mutants/*.test.ts']), {
  test: { globalSetup: ['test/build.ts'], maxConcurrency: 2 },
});
