import { expect, test } from 'vitest';
import { isRetried, RATE_LIMIT_RETRIES, retryDelay } from './retry-rules.js';

test('a failure that needs a change by the user is never retried', () => {
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

test('a failed agent is retried as often as the workflow says', () => {
  expect([1, 2, 3].map(count => isRetried('agent-failed', count, 2))).toEqual([true, true, false]);
  expect(isRetried('agent-failed', 1, 0)).toBe(false);
});

test('waits for a rate limit even where the workflow has no retries', () => {
  expect(isRetried('rate-limited', RATE_LIMIT_RETRIES, 0)).toBe(true);
  expect(isRetried('rate-limited', RATE_LIMIT_RETRIES + 1, 0)).toBe(false);
});

test('each delay is twice the one before, up to five minutes', () => {
  expect([1, 2, 3].map(count => retryDelay('agent-failed', count, 1000))).toEqual([1000, 2000, 4000]);
  expect(retryDelay('agent-failed', 30, 1000)).toBe(300_000);
});

test('a longer delay requested by the model host wins', () => {
  expect(retryDelay('rate-limited', 1, 1000, 30_000)).toBe(30_000);
  expect(retryDelay('rate-limited', 1, 1000, 10)).toBe(4000);
});
