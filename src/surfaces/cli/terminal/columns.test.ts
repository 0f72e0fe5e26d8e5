import { expect, it } from 'vitest';
import { alignColumns } from './columns.js';

it('aligns cells by display width, without trailing spaces', () => {
  expect(alignColumns([['a', 'bb', ''], ['↑2 🎉', 'c', 'd'], ['x']])).toEqual([
    'a      bb',
    '↑2 🎉  c   d',
    'x',
  ]);
});
