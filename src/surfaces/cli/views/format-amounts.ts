import type { Usage } from '../../../domain/agent/usage.js';
import { isSpentElsewhere, type Spending } from '../../../domain/batch/retry-cost.js';

/** `42s`, `3m 20s`, `1h 02m`: for elapsed time. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${twoDigits(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
}

/** `950`, `3.1k`, `12k`, `1.2M` */
export function formatCount(count: number): string {
  if (count < 1000) return String(count);
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)}${unit}`;
}

/** `$0.42`; empty when unknown. */
export function formatCost(costUsd: number | null): string {
  if (costUsd === null) return '';
  return costUsd > 0 && costUsd < 0.005 ? '<$0.01' : `$${costUsd.toFixed(2)}`;
}

/** `$0.42`, or `$0.42 ($0.60 spent)` when repeated attempts had a cost as well. */
export const formatSpending = (spending: Spending): string =>
  isSpentElsewhere(spending)
    ? `${formatCost(spending.costUsd ?? 0)} (${formatCost(spending.spentUsd)} spent)`
    : formatCost(spending.costUsd);

/** `15k tokens, $0.12`; empty when nothing is known. */
export function formatUsage({ inputTokens, outputTokens, costUsd }: Usage): string {
  const tokens = inputTokens + outputTokens;
  return [...(tokens > 0 ? [`${formatCount(tokens)} tokens`] : []), formatCost(costUsd)]
    .filter(Boolean)
    .join(', ');
}

const twoDigits = (value: number) => String(value).padStart(2, '0');
