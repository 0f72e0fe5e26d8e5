import type { Stage, Task } from '../../domain/task/task.js';
import { waitsForApproval } from '../../domain/task/task-state.js';
import type { Context } from '../../operations/context.js';
import { describeTask } from '../record/show-task.js';
import { taskEvent } from '../record/task-event.js';
import type { Taker } from '../record/task-owner.js';
import { requeueTask, reservePlace, type TaskPatch } from '../recovery/requeue-task.js';
import { type DecisionInput, findUndecided, recordDecision } from './decision.js';

export interface ApproveInput extends DecisionInput {
  readonly message?: string | undefined;
  readonly taker?: Taker;
}

/**
 * Approves the work of finished stages. When no other stage waits for an approval the task is `waiting` again, and the
 * caller executes it. TASK_BUSY when it does not wait for an approval, or was approved or rejected meanwhile.
 */
export async function approveStages(
  context: Context,
  { message, taker, ...input }: ApproveInput,
): Promise<Task> {
  const { task, stages: chosen } = await findUndecided(context, input, 'approved');
  const at = new Date(context.now()).toISOString();
  const approval: Stage['approval'] = { status: 'approved', at, message: message ?? null };
  const stages = task.stages.map(stage => (chosen.includes(stage) ? { ...stage, approval } : stage));
  const data = message === undefined ? {} : { message };
  const events = chosen.map(({ name }) => taskEvent(task, 'stage.approved', { stage: name, ...data }));
  const record = (patch: TaskPatch) => recordDecision(context, task, patch, events, 'approved');
  if (stages.some(waitsForApproval)) return describeTask(context, await record({ stages }));
  const patch = await requeueTask(context, task, { stages, plan: task.plan, taker });
  const approved = await reservePlace(context, { ...task, ...patch }, place =>
    record({ ...patch, ...place }),
  );
  return describeTask(context, approved);
}
