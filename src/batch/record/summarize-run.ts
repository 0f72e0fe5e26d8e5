import type { Usage } from '../../domain/agent/usage.js';
import type { Attempt } from '../../domain/batch/attempt.js';
import type { BatchPlan, BatchRun, Totals } from '../../domain/batch/batch-run.js';
import { isGraded, totalOf } from '../../domain/batch/outcome-rules.js';

export const NO_TOTALS: Totals = { passed: 0, failed: 0, errors: 0, cancelled: 0 };

export const countOutcome = (totals: Totals, { outcome }: Pick<Attempt, 'outcome'>): Totals => ({
  ...totals,
  [totalOf(outcome)]: totals[totalOf(outcome)] + 1,
});

export interface RunState {
  readonly plan: BatchPlan;
  readonly directory: string;
  readonly status: BatchRun['status'];
  /** The latest attempt of each task and number. */
  readonly attempts: readonly Attempt[];
  /** Spent by these and by repeated attempts. */
  readonly spent: Usage;
}

/** Summary of the attempts of a batch. */
export function summarize({ plan, directory, status, attempts, spent }: RunState): BatchRun {
  const totals = attempts.reduce(countOutcome, NO_TOTALS);
  const judged = attempts.filter(({ outcome }) => isGraded(outcome)).length;
  const asked = plan.taskIds.length * plan.attemptsPerTask;
  return {
    ...plan,
    directory,
    status,
    totals,
    passRate: judged === 0 ? null : totals.passed / judged,
    passRateOfAll: asked === 0 ? null : totals.passed / asked,
    passAtK: passAtKs(attempts, plan.attemptsPerTask),
    costUsd: addCosts(attempts),
    spentUsd: spent.costUsd,
    durationMs: findDuration(attempts),
    attempts: [...attempts],
  };
}

/** Null when no attempt reports a cost. */
function addCosts(attempts: readonly Attempt[]): number | null {
  const costs = attempts.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
}

/** From the first start to the last end, including pauses between runs. */
function findDuration(attempts: readonly Attempt[]): number {
  if (attempts.length === 0) return 0;
  const begins = attempts.map(({ startedAt }) => Date.parse(startedAt));
  const ends = attempts.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs);
  return ends.reduce((a, b) => Math.max(a, b)) - begins.reduce((a, b) => Math.min(a, b));
}

function passAtKs(attempts: readonly Attempt[], most: number): Record<string, number> {
  const tasks = new Map<string, { tried: number; passed: number }>();
  for (const { taskId, outcome } of attempts.filter(each => isGraded(each.outcome))) {
    const { tried, passed } = tasks.get(taskId) ?? { tried: 0, passed: 0 };
    tasks.set(taskId, { tried: tried + 1, passed: passed + (outcome === 'passed' ? 1 : 0) });
  }
  const ks = Array.from({ length: most }, (_, index) => index + 1);
  return Object.fromEntries(
    ks.flatMap(k => {
      const rates = [...tasks.values()].filter(({ tried }) => tried >= k).map(each => passAtK(each, k));
      return rates.length === 0 ? [] : [[String(k), rates.reduce((a, b) => a + b, 0) / rates.length]];
    }),
  );
}

/**
 * Unbiased estimate of the probability that at least one of k attempts passes: 1 - C(n-c, k) / C(n, k) for c of n that passed. As a
 * product, because the binomials themselves are too large for n in the hundreds.
 */
export function passAtK({ tried, passed }: { tried: number; passed: number }, k: number): number {
  if (tried - passed < k) return 1;
  let noneOf = 1;
  for (let n = tried - passed + 1; n <= tried; n++) noneOf *= 1 - k / n;
  return 1 - noneOf;
}
