import { expect, it } from 'vitest';
import { alignColumns } from './columns.js';

it('puts cells below each other, counting columns, and leaves no blanks at the end', () => {
  expect(alignColumns([['a', 'bb', ''], ['↑2 🎉', 'c', 'd'], ['x']])).toEqual([
    'a      bb',
    '↑2 🎉  c   d',
    'x',
  ]);
});
