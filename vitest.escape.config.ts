import { defineConfig } from 'vitest/config';
import { SHARED } from './vitest.shared.js';

/** What `npm run test:escape` runs: attempts to get out of each kind of sandbox, by the built command. */
export default defineConfig({
  test: {
    ...SHARED,
    include: ['test/escape/**/*.escape.ts'],
    maxWorkers: 2,
  },
});
