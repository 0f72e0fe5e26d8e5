import type { Failure } from './failure.js';
import type { Run, Stage, StageStatus, Task, TaskRecord, TaskStatus } from './task.js';

// Apart from task.ts so that moving a task does not load zod.

/**
 * Who moves what:
 * - a task is made `waiting`; the process that executes it takes its turn (`running`), checks the result (`validating`)
 *   and ends it; in a retry after a red validation it goes back to `running` once, to mend. Whoever finds its process
 *   dead, or that none came as promised, makes it `interrupted`. A retry makes it `waiting` again.
 * - a stage is `pending` until all that it depends on has succeeded. Only the process that owns the task moves it, or the
 *   one that found that process dead. A retry makes every stage that has not succeeded `pending` again, and mending one
 *   that has.
 * - a run is one stretch of work on a task, from its turn to its end; it never goes on, the next one is another.
 */
const taskMoves: Record<TaskStatus, readonly TaskStatus[]> = {
  waiting: ['running', 'cancelled', 'failed', 'interrupted'],
  running: ['validating', 'failed', 'cancelled', 'interrupted'],
  validating: ['running', 'succeeded', 'failed', 'cancelled', 'interrupted'],
  succeeded: [],
  failed: ['waiting'],
  cancelled: ['waiting'],
  interrupted: ['waiting', 'cancelled'],
};

const stageMoves: Record<StageStatus, readonly StageStatus[]> = {
  pending: ['running', 'cancelled'],
  running: ['succeeded', 'failed', 'cancelled', 'interrupted'],
  succeeded: ['pending'],
  failed: ['pending'],
  cancelled: ['pending'],
  interrupted: ['pending', 'cancelled'],
};

const runMoves: Record<Run['outcome'], readonly Run['outcome'][]> = {
  running: ['succeeded', 'failed', 'cancelled', 'interrupted'],
  succeeded: [],
  failed: [],
  cancelled: [],
  interrupted: [],
};

export const canMoveTask = (from: TaskStatus, to: TaskStatus): boolean => taskMoves[from].includes(to);
export const canMoveStage = (from: StageStatus, to: StageStatus): boolean => stageMoves[from].includes(to);
const canEndRun = (from: Run['outcome'], to: Run['outcome']): boolean => runMoves[from].includes(to);

/** Somebody has it in hand, or should. */
export const ACTIVE_STATUSES = ['waiting', 'running', 'validating'] as const satisfies readonly TaskStatus[];
/** It takes one of the places for tasks at the same time. */
export const BUSY_STATUSES = ['running', 'validating'] as const satisfies readonly TaskStatus[];

export const isActive = (status: TaskStatus): boolean => ACTIVE_STATUSES.some(active => active === status);

/** The public face of a record. */
export function toTask(record: TaskRecord): Task {
  const { repositoryId, owner, heartbeatAt, cancelRequestedAt, plan, ...task } = record;
  const { id, description, status, ...rest } = task;
  // What people look for first stands first.
  return { id, description, status, ...rest };
}

export type TaskEnding = 'succeeded' | 'failed' | 'cancelled' | 'interrupted';

/** The runs with the last one ended, when it was not. */
export function endRun(runs: readonly Run[], outcome: TaskEnding, at: string): Run[] {
  return runs.map(run => (canEndRun(run.outcome, outcome) ? { ...run, outcome, endedAt: at } : run));
}

/**
 * The stages as a retry finds them: what succeeded stays, and so do workspaces of their own that others left. One with a
 * commit has done its work, which only has to be joined. What failed is told to the next attempt; that the validation of
 * all of them did, to the last stage that changed something.
 */
export function resetStages(stages: readonly Stage[], failure?: Failure | undefined): Stage[] {
  const mender = failure?.kind === 'validation-failed' ? findMender(stages) : undefined;
  return stages.map(stage => {
    if (stage === mender) return { ...stage, previousFailure: failure };
    if (stage.status === 'succeeded' || !canMoveStage(stage.status, 'pending')) return stage;
    const { failure: own, ...rest } = stage;
    const told = own ? { previousFailure: own } : {};
    return { ...rest, ...told, status: 'pending', startedAt: null, endedAt: null, exitCode: null };
  });
}

const findMender = (stages: readonly Stage[]): Stage | undefined =>
  stages.findLast(stage => stage.changed) ?? stages.at(-1);

/** The stages when nobody works on them any more: the running ones are `to`. */
export function stopStages(
  stages: readonly Stage[],
  to: Exclude<TaskEnding, 'succeeded'>,
  at: string,
  failure?: Failure | undefined,
): Stage[] {
  const ended = { status: to, endedAt: at, ...(failure && { failure }) };
  return stages.map(stage => (stage.status === 'running' ? { ...stage, ...ended } : stage));
}
