import { mergeConfig } from 'vitest/config';
import { project } from '../../vitest.shared.js';

// The command is tested as users run it: its compiled form, as a process of its own.
export default mergeConfig(project('concordat'), { test: { globalSetup: ['test/build.ts'] } });
