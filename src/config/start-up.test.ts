import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Modules that are loaded together with a source file: its static imports, without type-only ones. */
function listLoaded(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(
    /^import (?!type\b)[^;]*?'([^']+)';$/gm,
  )) {
    if (specifier.startsWith('.')) listLoaded(join(dirname(file), specifier.replace(/\.js$/, '.ts')), seen);
    else seen.add(specifier);
  }
  return seen;
}

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

test.each([
  './load-config.ts',
  '../domain/isolation/choose-isolation.ts',
  '../domain/isolation/degrade-isolation.ts',
  '../domain/isolation/workspace-strategy.ts',
])('%s starts without zod and yaml', path => {
  const loaded = listLoaded(source(path));
  expect([...loaded].filter(name => ['zod', 'yaml'].includes(name))).toEqual([]);
});

test('a configuration file does load them', () => {
  const loaded = listLoaded(source('./precedence/check-config-files.ts'));
  expect(loaded).toContain('zod');
  expect(loaded).toContain('yaml');
});
