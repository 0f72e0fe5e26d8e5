import { expect, test } from 'vitest';
import { NO_USAGE } from '../domain/add-usage.js';
import { createBudget } from './budget.js';

const usage = (inputTokens: number, outputTokens: number, costUsd: number | null = null) => ({
  inputTokens,
  outputTokens,
  costUsd,
});

test('what an attempt reports again replaces what it reported before', () => {
  const budget = createBudget({}, usage(1, 1));
  budget.report('a 1', usage(10, 5));
  budget.report('a 1', usage(20, 5, 0.5));
  budget.report('b 1', usage(1, 1));
  expect(budget.total()).toEqual(usage(22, 7, 0.5));
});

test('a limit of tokens counts those read and written, of earlier runs too', () => {
  const budget = createBudget({ tokens: 100 }, usage(50, 20));
  budget.report('a 1', usage(20, 10));
  expect(budget.exceeded()).toBeUndefined();
  budget.report('a 1', usage(20, 11));
  expect(budget.exceeded()).toBe('101 tokens were used; the limit is 100');
});

test('a limit of money holds as far as agents tell what they cost', () => {
  const budget = createBudget({ costUsd: 1 }, NO_USAGE);
  budget.report('silent 1', usage(1_000_000, 1));
  expect(budget.exceeded()).toBeUndefined();
  budget.report('telling 1', usage(1, 1, 1.25));
  expect(budget.exceeded()).toBe('1.2500 US dollars were used; the limit is 1');
});

test('when it is used up everybody is told, also who begins later', () => {
  const budget = createBudget({ tokens: 10 }, usage(5, 0));
  expect(budget.signal.aborted).toBe(false);
  budget.report('a 1', usage(6, 0));
  expect(budget.signal.aborted).toBe(true);
  expect(createBudget({ tokens: 10 }, usage(11, 0)).signal.aborted).toBe(true);
});
