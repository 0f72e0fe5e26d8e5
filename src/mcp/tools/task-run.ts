import { z } from 'zod';
import { carrelError, isCarrelError } from '../../domain/error.js';
import type { CarrelEvent } from '../../domain/event.js';
import { type Task, TaskSchema } from '../../domain/task.js';
import { cancelTask } from '../../task/cancel-task.js';
import { createTask } from '../../task/create-task.js';
import { taskEvents } from '../../task/events-of-task.js';
import { showTask } from '../../task/show-task.js';
import type { Call } from '../desk.js';
import { logUri } from '../resources/task-logs.js';
import { defineTool } from '../tool.js';
import { sandboxWord } from '../words.js';

export const taskRun = defineTool({
  name: 'task_run',
  title: 'Have a task done',
  description:
    'Has a task done by other agents, in a workspace of its own, through the stages of a workflow. Waits for its end by default; cancelling the call then cancels the task. With detach it answers at once and task_status tells how it goes. A task that fails is an answer, not an error, and its work is kept.',
  input: z.object({
    description: z.string().min(1).describe('what is to be done, in full: the agents know nothing else'),
    workflow: z.string().optional().describe('the stages to go through; the configured one when left out'),
    agent: z.string().optional().describe('the agent of all stages, such as codex'),
    base: z.string().optional().describe('the branch, tag or commit to start from'),
    isolation: sandboxWord,
    timeoutSeconds: z.number().positive().optional(),
    keep: z.boolean().default(false).describe('keep its workspace, also when it succeeds'),
    land: z.boolean().default(false).describe('land the work on the branch that it started from, on success'),
    detach: z.boolean().default(false).describe('answer at once; it goes on when this connection ends'),
  }),
  output: TaskSchema,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  changesResources: true,
  run: async ({ detach, isolation, timeoutSeconds, land, ...wishes }, call) => {
    const { context, directory: repository } = call;
    const task = await createTask(context, {
      repository,
      ...wishes,
      isolation,
      strict: isolation === 'full' ? true : undefined,
      timeoutMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
      land: land ? { into: null } : undefined,
      taker: 'another-process',
    });
    await start(call, task);
    const value = detach ? task : await follow(call, task);
    return { value, link: { uri: logUri(task.id), name: `log of ${task.id}`, mimeType: 'text/plain' } };
  },
});

/** In a process of its own, so that what is detached outlives this one. What could not be started is cancelled. */
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
