import { expect, test } from 'vitest';
import { createGlob } from './glob-pattern.js';

test.each([
  ['*.ts', ['a.ts', 'src/a.ts', '.a.ts'], ['a.tsx', 'a.ts/b']],
  ['src/*.ts', ['src/a.ts'], ['a.ts', 'src/b/a.ts', 'other/src/a.ts']],
  ['src/**/*.ts', ['src/a.ts', 'src/b/c/a.ts'], ['a.ts', 'src/a.js']],
  ['**/test/**', ['test/a', 'x/test/y/z'], ['tests/a', 'x']],
  ['./a?c', ['abc', 'aéc'], ['ac', 'abbc']],
  ['[a-c]x[!0-9]', ['axb', 'cx-'], ['dxb', 'ax1']],
  ['*.{ts,m{js,ts}}', ['a.ts', 'a.mjs', 'a.mts'], ['a.js', 'a.{ts']],
  ['a+(b).$c', ['a+(b).$c'], ['aab.c']],
  ['**', ['a', 'a/b'], []],
])('%s', (pattern, fitting, others) => {
  const fits = createGlob(pattern);
  for (const path of fitting) expect([path, fits(path)]).toEqual([path, true]);
  for (const path of others) expect([path, fits(path)]).toEqual([path, false]);
});

test('a pattern of many stars is matched quickly', () => {
  expect(createGlob(`${'*a'.repeat(400)}b`)('a'.repeat(800))).toBe(false);
  expect(createGlob(`${'**/a/'.repeat(60)}b`)('a/'.repeat(120))).toBe(false);
});
