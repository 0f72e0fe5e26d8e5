import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** What starts sandboxes and counts processes and descriptors: each file has a process of its own. */
const ALONE = ['src/{exec,runtime,sandbox}/**/*.test.ts', 'test/**/*.test.ts'];

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/global-setup.ts'],
    setupFiles: ['test/helpers/setup.ts'],
    reporters: ['default', './test/helpers/closing-line.ts'],
    pool: 'forks',
    // The tests wait for real processes most of the time; by default vitest leaves one of two cores idle.
    maxWorkers: availableParallelism() + 1,
    // Real processes on a busy machine: CI gives a test a second chance and says so; at home it has none.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      // A process for each of these would take them a fifth of their time.
      {
        extends: true,
        test: { name: 'together', include: ['src/**/*.test.ts'], exclude: ALONE, isolate: false },
      },
    ],
  },
});
