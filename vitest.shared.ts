import type { InlineConfig } from 'vitest/node';

/** What all suites have in common. */
export const SHARED = {
  globalSetup: ['test/helpers/global-setup.ts'],
  setupFiles: ['test/helpers/setup.ts'],
  reporters: ['default', './test/parts/skip-table.ts'],
  pool: 'forks',
  // For Carrels that have this process's own environment; see gitEnv.
  env: { CARREL_CHECKPOINTS: 'off' },
  testTimeout: 60_000,
  hookTimeout: 60_000,
} satisfies InlineConfig;
