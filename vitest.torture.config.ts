import { defineConfig } from 'vitest/config';
import { SHARED } from './vitest.shared.js';

/** What `npm run torture` runs, which prints all there is to say itself. */
export default defineConfig({
  test: {
    ...SHARED,
    include: ['test/torture/torture.ts'],
    reporters: ['dot'],
    testTimeout: 24 * 3_600_000,
  },
});
