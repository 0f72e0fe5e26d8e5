import { expect, it } from 'vitest';
import { formatCost, formatCount, formatElapsed, formatUsage } from './format-amounts.js';

it('shows durations to the second, then to the minute', () => {
  expect([-5, 900, 42_000, 200_000, 3_600_000, 93_780_000].map(formatElapsed)).toEqual([
    '0s',
    '0s',
    '42s',
    '3m 20s',
    '1h 00m',
    '26h 03m',
  ]);
});

it('shows counts and costs in few characters', () => {
  expect([999, 3100, 12_400, 999_400, 999_600, 12_345_678].map(formatCount)).toEqual([
    '999',
    '3.1k',
    '12k',
    '999k',
    '1.0M',
    '12M',
  ]);
  expect([null, 0, 0.001, 0.42, 12].map(formatCost)).toEqual(['', '$0.00', '<$0.01', '$0.42', '$12.00']);
});

it('shows the known parts of usage', () => {
  expect(formatUsage({ inputTokens: 0, outputTokens: 0, costUsd: null })).toBe('');
  expect(formatUsage({ inputTokens: 0, outputTokens: 0, costUsd: 1 })).toBe('$1.00');
  expect(formatUsage({ inputTokens: 1500, outputTokens: 500, costUsd: null })).toBe('2.0k tokens');
});
