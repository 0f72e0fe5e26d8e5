import type { InlineConfig } from 'vitest/node';
import { SMALL_HEAP } from './test/warm/small-heap.js';

/** What all suites have in common. */
export const SHARED = {
  globalSetup: ['test/helpers/global-setup.ts'],
  setupFiles: ['test/helpers/setup.ts'],
  reporters: ['default', './test/parts/skip-table.ts'],
  pool: 'forks',
  execArgv: [...SMALL_HEAP],
  // For Carrels that have this process's own environment; see gitEnv.
  env: { CARREL_CHECKPOINTS: 'off' },
  testTimeout: 60_000,
  hookTimeout: 60_000,
} satisfies InlineConfig;
