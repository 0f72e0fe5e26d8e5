import { defineConfig } from 'vitest/config';

/** What `npm run test:escape` runs: attempts to get out of each kind of sandbox, by the built command. */
export default defineConfig({
  test: {
    include: ['test/escape/**/*.escape.ts'],
    globalSetup: ['test/helpers/global-setup.ts'],
    setupFiles: ['test/helpers/setup.ts'],
    reporters: ['default', './test/helpers/closing-line.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Real processes on a busy machine: CI gives a test a second chance and says so; at home it has none.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
