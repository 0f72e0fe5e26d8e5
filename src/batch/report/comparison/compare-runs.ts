import type { BatchRun } from '../../../domain/batch/batch-run.js';
import type { ComparedRun, ComparedTask, Comparison } from '../../../domain/batch/comparison.js';
import { carrelError } from '../../../domain/error/error.js';
import type { Context } from '../../../operations/context.js';
import { findRun } from '../../record/find-run.js';
import { readRun } from '../../record/run-store.js';
import { passRateInterval } from '../statistics/pass-rate-interval.js';
import { median } from '../statistics/percentile.js';
import { findDifferences, isSameTask, warnOfComparison } from './comparability.js';
import { comparePair } from './compare-pair.js';
import { cellsByTask } from './task-cells.js';

/** By id, the beginning of it, directory, or `latest`. INVALID_INPUT for fewer than two. */
export async function compareNamedRuns(
  context: Pick<Context, 'places' | 'cwd'>,
  names: readonly string[],
): Promise<Comparison> {
  if (names.length < 2)
    throw carrelError('INVALID_INPUT', {
      what: 'the number of runs to compare',
      found: String(names.length),
      expected: 'at least 2, such as: carrel eval compare RUN latest',
    });
  return compareRuns(await Promise.all(names.map(async name => readRun(await findRun(context, name)))));
}

/**
 * Compares runs task by task; the first is the baseline. A task with several attempts counts as solved when more than
 * half of its graded attempts passed.
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
