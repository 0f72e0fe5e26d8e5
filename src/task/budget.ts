import { addUsage } from '../domain/add-usage.js';
import type { TaskLimits } from '../domain/agent.js';
import type { Usage } from '../domain/usage.js';

/** What a task may use of tokens and money, counted over all attempts of all stages, those that failed too. */
export interface Budget {
  /** Aborted when more is used than allowed, by whichever stage: it ends all agents, and lets none begin. */
  readonly signal: AbortSignal;
  /** Counts what a running attempt has used so far, in place of what it reported before. */
  report(attempt: string, usage: Usage): void;
  /** What an attempt has reported. */
  of(attempt: string): Usage | undefined;
  total(): Usage;
  /** What is used up, in words for a message; undefined while there is something left. */
  exceeded(): string | undefined;
}

export function createBudget(limits: TaskLimits, before: Usage): Budget {
  const attempts = new Map<string, Usage>();
  const controller = new AbortController();
  const total = () => [...attempts.values()].reduce(addUsage, before);
  const exceeded = () => describeExcess(limits, total());
  const look = () => {
    if (exceeded() !== undefined) controller.abort();
  };
  look();
  return {
    signal: controller.signal,
    report: (attempt, usage) => {
      attempts.set(attempt, usage);
      look();
    },
    of: attempt => attempts.get(attempt),
    total,
    exceeded,
  };
}

function describeExcess({ tokens, costUsd }: TaskLimits, used: Usage): string | undefined {
  const all = used.inputTokens + used.outputTokens;
  if (tokens !== undefined && all > tokens) return `${all} tokens were used; the limit is ${tokens}`;
  if (costUsd !== undefined && (used.costUsd ?? 0) > costUsd)
    return `${(used.costUsd ?? 0).toFixed(4)} US dollars were used; the limit is ${costUsd}`;
  return undefined;
}
