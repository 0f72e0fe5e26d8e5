import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SHARED } from './vitest.shared.js';

/** What `npm run test:thorough` runs: long campaigns, and the second forms of what `npm test` has in one. */
export default defineConfig({
  test: {
    ...SHARED,
    include: ['src/**/*.thorough.ts', 'test/**/*.thorough.ts', ...listFilesWithFlavours()],
    provide: { isThorough: true },
    maxWorkers: availableParallelism() + 1,
  },
});

function listFilesWithFlavours(): string[] {
  return ['src', 'test']
    .flatMap(root => readdirSync(root, { recursive: true, encoding: 'utf8' }).map(name => `${root}/${name}`))
    .filter(file => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes('/helpers/flavours.js'));
}
