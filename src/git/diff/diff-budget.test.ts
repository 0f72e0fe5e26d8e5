import { expect, test } from 'vitest';
import { fitIntoDiff } from './diff-budget.js';

const SIZES: Record<string, number> = { a: 60, b: 10, c: 5, d: 101, e: 50 };
const choose = (...paths: string[]) =>
  fitIntoDiff(paths, path => SIZES[path] ?? 0, { fileBytes: 100, totalBytes: 100 });

test('only the file that is too large is left out', () => {
  expect(choose('d', 'a', 'b')).toEqual({ fitting: ['a', 'b'], beyond: ['d'] });
});

test('when files are too large together, the largest are left out', () => {
  expect(choose('a', 'b', 'c', 'e')).toEqual({ fitting: ['b', 'c', 'e'], beyond: ['a'] });
});
