import { expect, test } from 'vitest';
import { passAtK } from './summarize-run.js';

test('with one attempt, pass@1 is 1 or 0', () => {
  expect(passAtK({ tried: 1, passed: 1 }, 1)).toBe(1);
  expect(passAtK({ tried: 1, passed: 0 }, 1)).toBe(0);
});

test('pass@k counts the ways to draw k attempts of which one passed', () => {
  // 1 - C(7, 2) / C(10, 2) = 1 - 21 / 45
  expect(passAtK({ tried: 10, passed: 3 }, 2)).toBeCloseTo(1 - 21 / 45, 12);
  expect(passAtK({ tried: 5, passed: 3 }, 3)).toBe(1);
  expect(passAtK({ tried: 1000, passed: 1 }, 500)).toBeCloseTo(0.5, 12);
});
