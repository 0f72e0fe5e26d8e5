import { defineConfig } from 'vitest/config';
import { SHARED } from './vitest.shared.js';

/** Minutes instead of seconds: what `npm run test:soak` runs, one file after the other, with figures printed. */
export default defineConfig({
  test: {
    ...SHARED,
    include: ['test/soak/**/*.soak.ts'],
    fileParallelism: false,
    testTimeout: 1_800_000,
  },
});
