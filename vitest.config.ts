import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SHARED } from './vitest.shared.js';

export default defineConfig({
  test: {
    ...SHARED,
    include: ['{src,test}/**/*.test.ts'],
    // A process for each file would take a fifth of the time.
    isolate: false,
    // The tests wait for real processes much of the time; by default vitest leaves one of two cores idle.
    maxWorkers: availableParallelism() + 2,
  },
});
