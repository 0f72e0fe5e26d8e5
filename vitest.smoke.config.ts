import { defineConfig } from 'vitest/config';
import { SHARED } from './vitest.shared.js';

/** What `npm run test:smoke` runs with every version of Node: the package as it is installed, and the main flows. */
export default defineConfig({
  test: {
    ...SHARED,
    include: [
      'test/smoke/**/*.smoke.ts',
      'test/e2e/*/{land,library,mcp,restore,server-flow,tasks}.test.ts',
      'src/store/**/*.test.ts',
    ],
    maxWorkers: 2,
  },
});
