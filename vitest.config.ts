import { defineConfig } from 'vitest/config';
import { LongFilesFirst } from './vitest.sequencer.js';

export default defineConfig({
  test: {
    projects: ['packages/*', 'examples', 'chaos', 'simulation'],
    allowOnly: false,
    passWithNoTests: false,
    maxWorkers: 4,
    sequence: { sequencer: LongFilesFirst },
  },
});
