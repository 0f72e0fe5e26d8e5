import type { BatchRun } from '../../domain/batch-run.js';
import type { ComparedRun, ComparedTask, Comparison } from '../../domain/comparison.js';
import { findDifferences, isSameTask, warnOfComparison } from './comparability.js';
import { comparePair } from './compare-pair.js';
import { passRateInterval } from './pass-rate-interval.js';
import { median } from './statistics/percentile.js';
import { cellsByTask } from './task-cells.js';

/**
 * Compares runs task by task; the first is the baseline. A task with several attempts counts as solved when more than
 * half of those that were judged passed.
 */
export function compareRuns(runs: readonly BatchRun[]): Comparison {
  const cells = runs.map(({ attempts }) => cellsByTask(attempts));
  const taskIds = [...new Set(cells.flatMap(those => [...those.keys()]))];
  const tasks = taskIds.map(taskId => ({ taskId, cells: cells.map(those => those.get(taskId) ?? null) }));
  const notInAll = idsWhere(tasks, task => task.cells.includes(null));
  const changed = idsWhere(tasks, task => !isSameTask(task.cells.filter(cell => cell !== null)));
  const [baseline, ...others] = runs;
  return {
    runs: runs.map(describeRun),
    pairs: baseline === undefined ? [] : others.map(other => comparePair(baseline, other)),
    tasks,
    notInAll,
    changed,
    differences: findDifferences(runs),
    warnings: warnOfComparison(runs, { notInAll, changed }),
  };
}

const idsWhere = (tasks: readonly ComparedTask[], isOne: (task: ComparedTask) => boolean) =>
  tasks.filter(isOne).map(({ taskId }) => taskId);

function describeRun(run: BatchRun): ComparedRun {
  const judged = [...cellsByTask(run.attempts).values()].filter(({ solved }) => solved !== null);
  return {
    id: run.id,
    dataset: run.dataset,
    agent: run.agent,
    model: run.model,
    isolation: run.isolation,
    tasks: judged.length,
    solved: judged.filter(({ solved }) => solved).length,
    passRate: run.passRate,
    passRateInterval: passRateInterval(run),
    costUsd: run.costUsd,
    spentUsd: run.spentUsd,
    medianCostUsd: median(run.attempts.flatMap(({ costUsd }) => costUsd ?? [])),
    medianAgentMs: median(run.attempts.map(({ timings }) => timings.agentMs)),
  };
}
