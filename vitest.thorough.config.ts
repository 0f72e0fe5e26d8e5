import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** What `npm run test:thorough` runs: long campaigns, and the second forms of what `npm test` has in one. */
export default defineConfig({
  test: {
    include: ['src/**/*.thorough.ts', 'test/**/*.thorough.ts', ...listFilesWithFlavours()],
    provide: { isThorough: true },
    globalSetup: ['test/helpers/global-setup.ts'],
    setupFiles: ['test/helpers/setup.ts'],
    reporters: ['default', './test/helpers/closing-line.ts'],
    pool: 'forks',
    maxWorkers: availableParallelism() + 1,
    // Real processes on a busy machine: CI gives a test a second chance and says so; at home it has none.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

function listFilesWithFlavours(): string[] {
  return ['src', 'test']
    .flatMap(root => readdirSync(root, { recursive: true, encoding: 'utf8' }).map(name => `${root}/${name}`))
    .filter(file => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes('/helpers/flavours.js'));
}
