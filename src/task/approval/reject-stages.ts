import type { Failure } from '../../domain/task/failure.js';
import type { Stage, Task } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import { flushTaskWebhooks } from '../log/task-webhooks.js';
import { describeTask } from '../record/show-task.js';
import { taskEvent } from '../record/task-event.js';
import type { Taker } from '../record/task-owner.js';
import { retryTask } from '../recovery/retry-task.js';
import { type DecisionInput, findUndecided, recordDecision } from './decision.js';

export interface RejectInput extends DecisionInput {
  /** Why; the agent gets it when the stage runs again. */
  readonly message: string;
  /** Run the rejected stages again at once. */
  readonly retry?: boolean | undefined;
  readonly taker?: Taker;
}

/**
 * Rejects the work of finished stages: they and the task fail. A retry, now or later, runs them again on top of their
 * work, with the message for the agent. TASK_BUSY when the task does not wait for an approval, or another process decided.
 */
export async function rejectStages(
  context: Context,
  { message, retry = false, taker, ...input }: RejectInput,
): Promise<Task> {
  const { task, stages: chosen } = await findUndecided(context, input, 'rejected');
  const describe = (name: string): Failure => ({
    kind: 'rejected',
    stage: name,
    message: `the user rejected the work of ${name}: ${message}`,
    hint: `run the stage again, with this text for its agent: carrel task retry ${task.id}`,
    output: null,
  });
  const reject = ({ approval, ...stage }: Stage): Stage =>
    // Without a commit it runs again; all of its work is in the workspace of the task.
    ({ ...stage, status: 'failed', commit: null, workspaceName: null, failure: describe(stage.name) });
  const failure = describe(chosen.map(({ name }) => name).join(', '));
  const patch = {
    status: 'failed',
    endedAt: new Date(context.now()).toISOString(),
    failure: { ...failure, stage: chosen[0]?.name ?? null },
    stages: task.stages.map(stage => (chosen.includes(stage) ? reject(stage) : stage)),
  } as const;
  const events = [
    ...chosen.map(({ name }) => taskEvent(task, 'stage.rejected', { stage: name, message })),
    taskEvent(task, 'task.failed', { kind: 'rejected', message: failure.message }),
  ];
  const rejected = await recordDecision(context, task, patch, events, 'rejected');
  if (retry) return retryTask(context, { id: task.id, taker });
  await flushTaskWebhooks(context, task.id);
  return describeTask(context, rejected);
}
