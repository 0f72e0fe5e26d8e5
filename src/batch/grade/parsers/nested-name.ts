import type { TestResult } from './test-results.js';

/**
 * Names of a test by its suites: `file > suite > test`, and as lists name it: without the file, without the suites, and
 * with spaces between.
 */
export function nestedName(file: string | undefined, path: readonly string[]): Omit<TestResult, 'status'> {
  const full = file === undefined ? path : [file, ...path];
  const aliases = [path.join(' > '), path.join(' '), path.join(' › '), full.join(' '), path.at(-1) ?? ''];
  const name = full.join(' > ');
  return { name, aliases: [...new Set(aliases)].filter(alias => alias !== '' && alias !== name) };
}
