import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: ['packages/*', 'examples', 'chaos', 'simulation'],
    allowOnly: false,
    passWithNoTests: false,
    maxWorkers: 3,
  },
});
