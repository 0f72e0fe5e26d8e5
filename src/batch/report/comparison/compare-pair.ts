import type { BatchRun } from '../../../domain/batch/batch-run.js';
import type { RunPair, TaskCell } from '../../../domain/batch/comparison.js';
import { testMcNemar } from '../statistics/mcnemar.js';
import { bootstrapMean } from '../statistics/paired-bootstrap.js';
import { mean, median } from '../statistics/percentile.js';
import { isSameTask } from './comparability.js';
import { cellsByTask } from './task-cells.js';

interface PairedTask {
  readonly taskId: string;
  readonly baseline: TaskCell;
  readonly other: TaskCell;
}

/** Compares two runs over the tasks that both have graded. */
export function comparePair(baseline: BatchRun, other: BatchRun): RunPair {
  const tasks = pairTasks(baseline, other);
  const idsWhere = (first: boolean, second: boolean) =>
    tasks.filter(task => task.baseline.solved === first && task.other.solved === second).map(idOf);
  const regressions = idsWhere(true, false);
  const improvements = idsWhere(false, true);
  return {
    baseline: baseline.id,
    other: other.id,
    tasks: tasks.length,
    both: idsWhere(true, true).length,
    onlyBaseline: regressions.length,
    onlyOther: improvements.length,
    neither: idsWhere(false, false).length,
    regressions,
    improvements,
    pValue: tasks.length === 0 ? null : testMcNemar(regressions.length, improvements.length),
    ...differences(tasks),
  };
}

function pairTasks(baseline: BatchRun, other: BatchRun): readonly PairedTask[] {
  const cells = cellsByTask(other.attempts);
  return [...cellsByTask(baseline.attempts)].flatMap(([taskId, first]) => {
    const second = cells.get(taskId);
    if (second === undefined || first.solved === null || second.solved === null) return [];
    return isSameTask([first, second]) ? [{ taskId, baseline: first, other: second }] : [];
  });
}

const idOf = ({ taskId }: PairedTask) => taskId;

function differences(tasks: readonly PairedTask[]) {
  const between = (measure: (cell: TaskCell) => number | null) =>
    tasks.flatMap(task => subtract(measure(task.other), measure(task.baseline)));
  const passRates = between(({ passed, judged }) => passed / judged);
  return {
    passRateDifference: mean(passRates),
    passRateDifferenceInterval: bootstrapMean(passRates),
    medianCostDifferenceUsd: median(between(({ costUsd }) => costUsd)),
    medianAgentMsDifference: median(between(({ agentMs }) => agentMs)),
  };
}

const subtract = (from: number | null, what: number | null): readonly number[] =>
  from === null || what === null ? [] : [from - what];
