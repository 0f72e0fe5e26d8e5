import { carrelError, isCarrelError } from '../../../domain/error/error.js';
import type { CarrelEvent } from '../../../domain/event.js';
import { type Task, TaskSchema } from '../../../domain/task/task.js';
import { cancelTask } from '../../../task/cancel-task.js';
import { type CreateTaskRequest, readTaskRequest } from '../../../task/create.operation.js';
import { createTask } from '../../../task/create-task.js';
import { taskEvents } from '../../../task/log/follow-task-events.js';
import { showTask } from '../../../task/record/show-task.js';
import type { Call } from '../connection/agent-connection.js';
import { logUri } from '../resources/task-log-resource.js';
import type { OwnTool } from './own-tool.js';

/** Waits for the task unless it is detached. */
export const taskRun = {
  output: TaskSchema,
  run: async (input, call) => {
    const { detach, ...request } = input as CreateTaskRequest & { readonly detach: boolean };
    const { context, directory: repository } = call;
    const task = await createTask(context, {
      repository,
      ...readTaskRequest(request),
      taker: 'another-process',
    });
    await start(call, task);
    const value = detach ? task : await follow(call, task);
    return { value, link: { uri: logUri(task.id), name: `log of ${task.id}`, mimeType: 'text/plain' } };
  },
} satisfies OwnTool;

/** In a separate process, so that a detached task outlives this one. A task that cannot be started is cancelled. */
async function start({ context }: Call, { id }: Task): Promise<void> {
  if (context.startBackground(['task', 'execute', id], { priority: 'normal' })) return;
  await cancelTask(context, { id });
  throw carrelError('TASK_NOT_STARTED', { id });
}

async function follow({ context, signal, tell }: Call, { id }: Task): Promise<Task> {
  for await (const event of taskEvents(context, { taskId: id, signal })) tell(describeEvent(event));
  if (signal.aborted) await cancelUnlessOver(context, id);
  return showTask(context, { id });
}

const describeEvent = ({ type, data }: CarrelEvent): string => {
  const { stage } = data as { readonly stage?: unknown };
  return typeof stage === 'string' ? `${type} ${stage}` : type;
};

async function cancelUnlessOver(context: Call['context'], id: string): Promise<void> {
  try {
    await cancelTask(context, { id });
  } catch (error) {
    if (!isCarrelError(error, 'TASK_BUSY')) throw error;
  }
}
