import { mergeConfig } from 'vitest/config';
import { project } from '../vitest.shared.js';

// Some runs are processes of their own: in their compiled form. The mutants have a command of their own.
export default mergeConfig(project('simulation', ['test/*.test.ts']), { test: { globalSetup: ['test/build.ts'] } });
