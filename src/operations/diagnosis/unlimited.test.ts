import { expect, test } from 'vitest';
import { describeUnlimited } from './unlimited.js';

test('the default limits that the machine lacks are named', () => {
  expect(describeUnlimited(['cpu', 'memory', 'pids', 'disk'])).toBe('');
  expect(describeUnlimited(['pids', 'disk'])).toMatch(/^; memory can't be limited here/);
  expect(describeUnlimited(['disk'])).toMatch(/^; memory and the number of processes can't be limited here/);
});
