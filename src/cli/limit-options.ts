import type { Command } from 'commander';
import type { TaskLimits } from '../domain/agent.js';
import { parseDuration } from '../domain/quantity.js';
import { parseAmount, parseCount } from './number-option.js';

/** How much a task may take, for the two words that have one worked on: `run` and `task retry`. */
export interface LimitOptions {
  readonly timeout?: number;
  readonly costLimit?: number;
  readonly tokenLimit?: number;
}

export const addLimitOptions = (command: Command): Command =>
  command
    .option('--timeout <duration>', 'time limit of all of it, such as 90m', parseDuration)
    .option('--cost-limit <usd>', 'most US dollars that its agents may cost', parseAmount)
    .option('--token-limit <number>', 'most tokens that its agents may use', parseCount);

export function readLimits({ timeout, costLimit, tokenLimit }: LimitOptions): {
  readonly timeoutMs: number | undefined;
  readonly limits: TaskLimits;
} {
  const limits = {
    ...(costLimit === undefined ? {} : { costUsd: costLimit }),
    ...(tokenLimit === undefined ? {} : { tokens: tokenLimit }),
  };
  return { timeoutMs: timeout, limits };
}
