import { expect, test } from 'vitest';
import { testMcNemar } from './mcnemar.js';
import { bootstrapMean } from './paired-bootstrap.js';
import { wilsonInterval } from './pass-rate-interval.js';
import { mean, median, percentile } from './percentile.js';

test("McNemar's test gives the exact binomial values", () => {
  expect(testMcNemar(0, 0)).toBe(1);
  expect(testMcNemar(3, 3)).toBe(1);
  expect(testMcNemar(0, 5)).toBeCloseTo(2 / 2 ** 5, 12);
  expect(testMcNemar(2, 8)).toBeCloseTo((2 * (1 + 10 + 45)) / 2 ** 10, 12);
  expect(testMcNemar(8, 2)).toBeCloseTo(testMcNemar(2, 8), 12);
  // In integer arithmetic: twice the sum of C(22, 0) to C(22, 6), by 2^22.
  expect(testMcNemar(6, 16)).toBeCloseTo(0.052478790283203125, 12);
});

test("McNemar's test is accurate with thousands of tasks", () => {
  // With integers of 5,000 bits; chi-squared with continuity correction gives 0.004889.
  expect(testMcNemar(2400, 2600)).toBeCloseTo(0.004883649737517518, 10);
  expect(testMcNemar(0, 5000)).toBeLessThan(1e-300);
});

test('the interval of a pass rate is the Wilson interval, and stays in bounds', () => {
  expect(wilsonInterval(8, 10)).toEqual({ low: expect.closeTo(0.4902, 4), high: expect.closeTo(0.9433, 4) });
  expect(wilsonInterval(0, 10)).toEqual({ low: 0, high: expect.closeTo(0.2775, 4) });
  expect(wilsonInterval(10, 10)).toEqual({ low: expect.closeTo(0.7225, 4), high: 1 });
  expect(wilsonInterval(0, 0)).toBeNull();
});

test('the bootstrap interval agrees with theory and is the same every time', () => {
  const differences = [...Array(30).fill(1), ...Array(10).fill(-1), ...Array(60).fill(0)];
  const interval = bootstrapMean(differences);
  // Mean 0.2, standard error 0.06.
  expect(interval?.low).toBeCloseTo(0.2 - 1.96 * 0.06, 2);
  expect(interval?.high).toBeCloseTo(0.2 + 1.96 * 0.06, 2);
  expect(bootstrapMean(differences)).toEqual(interval);
  expect(bootstrapMean([0.5, 0.5])).toEqual({ low: 0.5, high: 0.5 });
  expect(bootstrapMean([])).toBeNull();
});

test('medians and percentiles lie between the two nearest values', () => {
  expect(median([9, 1, 10])).toBe(9);
  expect(median([1, 2, 3, 10])).toBe(2.5);
  expect(percentile([1, 2, 3, 4, 5], 0.9)).toBeCloseTo(4.6, 12);
  expect(median([])).toBeNull();
  expect(mean([])).toBeNull();
});
