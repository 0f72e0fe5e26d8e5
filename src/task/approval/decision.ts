import { isDeepStrictEqual } from 'node:util';
import { carrelError } from '../../domain/error/error.js';
import type { NewEvent } from '../../domain/event.js';
import type { Stage, TaskRecord } from '../../domain/task/task.js';
import { waitsForApproval } from '../../domain/task/task-state.js';
import type { Context } from '../../operations/context.js';
import { findCurrentTask } from '../record/current-task.js';
import type { TaskQuery } from '../record/show-task.js';
import type { TaskPatch } from '../recovery/requeue-task.js';

export interface DecisionInput extends TaskQuery {
  /** The stage that the user reviewed (default: all that wait). */
  readonly stage?: string | undefined;
}

/** What the user decides about. */
export interface Undecided {
  readonly task: TaskRecord;
  /** The stages that the decision is about. */
  readonly stages: readonly Stage[];
}

/** TASK_BUSY when the task, or the stage, does not wait for an approval. */
export async function findUndecided(
  context: Pick<Context, 'store' | 'fleetTasks'>,
  { id, stage }: DecisionInput,
  wanted: 'approved' | 'rejected',
): Promise<Undecided> {
  const task = await findCurrentTask(context, id);
  const waiting = task.status === 'waiting-for-approval' ? task.stages.filter(waitsForApproval) : [];
  const stages = waiting.filter(({ name }) => stage === undefined || name === stage);
  if (stages.length > 0) return { task, stages };
  const names = waiting.map(({ name }) => name).join(', ');
  const status = names === '' ? task.status : `${task.status} of ${names}, not of ${stage}`;
  throw carrelError('TASK_BUSY', { id: task.id, status, wanted });
}

/** Checked inside a transaction: of two decisions at the same time, only one counts. TASK_BUSY for the other. */
export async function recordDecision(
  context: Pick<Context, 'store'>,
  task: TaskRecord,
  patch: TaskPatch,
  events: readonly NewEvent[],
  wanted: 'approved' | 'rejected',
): Promise<TaskRecord> {
  return context.store.atomically(async ({ tasks }) => {
    const present = await tasks.find(task.id);
    const isSame = present !== undefined && isDeepStrictEqual(present.stages, task.stages);
    const expected = { statuses: ['waiting-for-approval'], owner: null, runs: task.runs.length } as const;
    const decided = isSame ? await tasks.update(task.id, expected, patch, events) : undefined;
    if (decided) return decided;
    const status = present === undefined ? 'forgotten' : `${present.status}, by another decision`;
    throw carrelError('TASK_BUSY', { id: task.id, status, wanted });
  });
}
