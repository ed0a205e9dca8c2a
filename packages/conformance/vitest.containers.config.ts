import { project } from '../../vitest.shared.js';

// Needs a container engine and images of its own: see scripts/test-containers.mjs.
export default project('containers', ['test/containers.ts']);
