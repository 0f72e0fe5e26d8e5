import { expect, test } from 'vitest';
import { NO_USAGE } from '../../domain/agent/add-usage.js';
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

test('the token limit counts input and output tokens, also of earlier runs', () => {
  const budget = createBudget({ tokens: 100 }, usage(50, 20));
  budget.report('a 1', usage(20, 10));
  expect(budget.exceeded()).toBeUndefined();
  budget.report('a 1', usage(20, 11));
  expect(budget.exceeded()).toBe('101 tokens were used; the limit is 100');
});

test('the cost limit counts what agents report', () => {
  const budget = createBudget({ costUsd: 1 }, NO_USAGE);
  budget.report('silent 1', usage(1_000_000, 1));
  expect(budget.exceeded()).toBeUndefined();
  budget.report('telling 1', usage(1, 1, 1.25));
  expect(budget.exceeded()).toBe('1.2500 US dollars were used; the limit is 1');
});

test('when the budget is used up, running and later attempts are notified', () => {
  const budget = createBudget({ tokens: 10 }, usage(5, 0));
  expect(budget.signal.aborted).toBe(false);
  budget.report('a 1', usage(6, 0));
  expect(budget.signal.aborted).toBe(true);
  expect(createBudget({ tokens: 10 }, usage(11, 0)).signal.aborted).toBe(true);
});

test('going over the limit, with closed attempts counted, stops all running attempts', () => {
  const cost = (costUsd: number) => usage(0, 0, costUsd);
  const budget = createBudget({ costUsd: 1 }, cost(0.25));
  budget.report('a', cost(0.5));
  budget.close('b', cost(0.25));
  expect([budget.signal.aborted, budget.leftUsd()]).toEqual([false, 0]);
  budget.report('a', cost(0.75));
  expect([budget.signal.aborted, budget.leftUsd()]).toEqual([true, -0.25]);
});
