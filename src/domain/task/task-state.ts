import type { Failure } from './failure.js';
import type { Run, Stage, StageStatus, Task, TaskRecord, TaskStatus } from './task.js';

// Separate from task.ts so that moving a task does not load zod.

/**
 * Who changes which status:
 * - a task is created `waiting`; the process that executes it takes its turn (`running`), checks the result
 *   (`validating`) and ends it; in a retry after a failed validation it returns to `running` once, to fix the work. A
 *   process that finds the owner dead, or finds that no owner started, makes it `interrupted`. A retry makes it `waiting`
 *   again.
 * - a stage is `pending` until all its dependencies have succeeded. Only the process that owns the task changes it, or
 *   the one that found the owner dead. A retry makes every stage `pending` that has not succeeded, and one that has
 *   succeeded when it has to fix a failed validation.
 * - a task becomes `waiting-for-approval` when nothing can continue before the user has approved a finished stage. It has
 *   no owner then. A process that approves makes it `waiting`, one that rejects makes it and the stage `failed`.
 * - a run is one stretch of work on a task, from its turn to its end or to an approval; it is never resumed, a retry or an
 *   approval starts another.
 */
const taskMoves: Record<TaskStatus, readonly TaskStatus[]> = {
  waiting: ['running', 'cancelled', 'failed', 'interrupted'],
  running: ['validating', 'waiting-for-approval', 'failed', 'cancelled', 'interrupted'],
  validating: ['running', 'waiting-for-approval', 'succeeded', 'failed', 'cancelled', 'interrupted'],
  'waiting-for-approval': ['waiting', 'failed', 'cancelled'],
  succeeded: [],
  failed: ['waiting'],
  cancelled: ['waiting'],
  interrupted: ['waiting', 'cancelled'],
};

const stageMoves: Record<StageStatus, readonly StageStatus[]> = {
  pending: ['running', 'cancelled'],
  running: ['succeeded', 'failed', 'cancelled', 'interrupted'],
  succeeded: ['pending', 'failed'],
  failed: ['pending'],
  cancelled: ['pending'],
  interrupted: ['pending', 'cancelled'],
};

const runMoves: Record<Run['outcome'], readonly Run['outcome'][]> = {
  running: ['waiting-for-approval', 'succeeded', 'failed', 'cancelled', 'interrupted'],
  'waiting-for-approval': [],
  succeeded: [],
  failed: [],
  cancelled: [],
  interrupted: [],
};

export const canMoveTask = (from: TaskStatus, to: TaskStatus): boolean => taskMoves[from].includes(to);
export const canMoveStage = (from: StageStatus, to: StageStatus): boolean => stageMoves[from].includes(to);
const canEndRun = (from: Run['outcome'], to: Run['outcome']): boolean => runMoves[from].includes(to);

/** A process works on it, or should. */
export const ACTIVE_STATUSES = ['waiting', 'running', 'validating'] as const satisfies readonly TaskStatus[];
/** It counts toward the limit of concurrent tasks. */
const BUSY_STATUSES = ['running', 'validating'] as const satisfies readonly TaskStatus[];

export const isBusy = (status: TaskStatus): boolean => BUSY_STATUSES.some(busy => busy === status);

/** It has not ended: its workspace is in use, and it can be cancelled. */
export const UNFINISHED_STATUSES = [
  ...ACTIVE_STATUSES,
  'waiting-for-approval',
] as const satisfies readonly TaskStatus[];

export const isUnfinished = (status: TaskStatus): boolean =>
  UNFINISHED_STATUSES.some(unfinished => unfinished === status);

/** A retry must not pass an approval. */
export const canRetry = (status: TaskStatus): boolean =>
  !isUnfinished(status) && canMoveTask(status, 'waiting');

/** Its work is done, and the user has not decided about it yet. */
export const waitsForApproval = ({ approval }: Stage): boolean => approval?.status === 'waiting';

export const isActive = (status: TaskStatus): boolean => ACTIVE_STATUSES.some(active => active === status);

/** The public fields of a record. */
export function toTask(record: TaskRecord): Task {
  const { repositoryId, owner, heartbeatAt, cancelRequestedAt, plan, ...task } = record;
  const { id, description, status, ...rest } = task;
  // The fields that people look for come first.
  return { id, description, status, ...rest };
}

export type TaskEnding = 'succeeded' | 'failed' | 'cancelled' | 'interrupted';

/** The runs, with the last one ended if it was not. */
export function endRun(runs: readonly Run[], outcome: Exclude<Run['outcome'], 'running'>, at: string): Run[] {
  return runs.map(run => (canEndRun(run.outcome, outcome) ? { ...run, outcome, endedAt: at } : run));
}

/**
 * The stages at the start of a retry: what succeeded stays, and so do the separate workspaces of other stages. A stage
 * with a commit has done its work, which only has to be joined. A failure is passed to the next attempt; a failed
 * validation of the whole task to the last stage that changed something.
 */
export function resetStages(stages: readonly Stage[], failure?: Failure | undefined): Stage[] {
  const stageToFix = failure?.kind === 'validation-failed' ? findStageToFix(stages) : undefined;
  return stages.map(stage => {
    if (stage === stageToFix) return { ...stage, previousFailure: failure };
    if (stage.status === 'succeeded' || !canMoveStage(stage.status, 'pending')) return stage;
    const { failure: own, ...rest } = stage;
    const previous = own ? { previousFailure: own } : {};
    return { ...rest, ...previous, status: 'pending', startedAt: null, endedAt: null, exitCode: null };
  });
}

const findStageToFix = (stages: readonly Stage[]): Stage | undefined =>
  stages.findLast(stage => stage.changed) ?? stages.at(-1);

/** The stages when no process works on them any more: the running ones become `to`. */
export function stopStages(
  stages: readonly Stage[],
  to: Exclude<TaskEnding, 'succeeded'>,
  at: string,
  failure?: Failure | undefined,
): Stage[] {
  const ended = { status: to, endedAt: at, ...(failure && { failure }) };
  return stages.map(stage => (stage.status === 'running' ? { ...stage, ...ended } : stage));
}
