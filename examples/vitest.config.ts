import { mergeConfig } from 'vitest/config';
import { project } from '../vitest.shared.js';

// Some examples are tested as programs: in their compiled form.
export default mergeConfig(project('examples'), { test: { globalSetup: ['test/build.ts'] } });
