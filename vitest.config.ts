import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: ['packages/*', 'examples'],
    allowOnly: false,
    passWithNoTests: false,
    maxWorkers: 2,
  },
});
