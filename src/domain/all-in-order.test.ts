import { expect, test } from 'vitest';
import { allInOrder } from './all-in-order.js';

test('gives all values in order', async () => {
  expect(await allInOrder([Promise.resolve(1), 'two', Promise.resolve(null)])).toEqual([1, 'two', null]);
});

test('waits for all, then throws the failure that is first in the list', async () => {
  let isOver = false;
  const slow = new Promise((_, reject) => setTimeout(reject, 20, new Error('slow'))).finally(() => {
    isOver = true;
  });
  await expect(allInOrder([slow, Promise.reject(new Error('fast'))])).rejects.toThrow('slow');
  expect(isOver).toBe(true);
});
