import { expect, test } from 'vitest';
import { isRetried, RATE_LIMIT_RETRIES, retryDelay } from './retry.js';

test('what needs somebody to change something is never tried again', () => {
  for (const kind of [
    'program-missing',
    'key-missing',
    'limit',
    'merge-conflict',
    'workspace-lost',
  ] as const) {
    expect(isRetried(kind, 1, 10)).toBe(false);
  }
});

test('an agent that failed is tried again as often as the workflow says', () => {
  expect([1, 2, 3].map(count => isRetried('agent-failed', count, 2))).toEqual([true, true, false]);
  expect(isRetried('agent-failed', 1, 0)).toBe(false);
});

test('a rate limit is waited for also where the workflow asks for no retries', () => {
  expect(isRetried('rate-limited', RATE_LIMIT_RETRIES, 0)).toBe(true);
  expect(isRetried('rate-limited', RATE_LIMIT_RETRIES + 1, 0)).toBe(false);
});

test('each delay is twice the one before, up to five minutes', () => {
  expect([1, 2, 3].map(count => retryDelay('agent-failed', count, 1000))).toEqual([1000, 2000, 4000]);
  expect(retryDelay('agent-failed', 30, 1000)).toBe(300_000);
});

test('what the host of the model asks for holds when it is longer', () => {
  expect(retryDelay('rate-limited', 1, 1000, 30_000)).toBe(30_000);
  expect(retryDelay('rate-limited', 1, 1000, 10)).toBe(4000);
});
