import type { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type Task, TaskSchema } from '../../domain/task/task.js';
import { taskField } from '../../operations/fields.js';
import { defineOperation } from '../../operations/operation.js';
import { limitFields, limitOptions, readLimits } from '../queue/limit-fields.js';
import { type RetryInput, retryTask } from './retry-task.js';

const input = requestObject({ task: taskField, ...limitFields });
export type RetryTaskRequest = z.input<typeof input>;
/** The same for a known task. */
export type RetryRequest = Omit<RetryTaskRequest, 'task'>;
export type RetryTaskAnswer = Task;

export const retryTaskOperation = defineOperation({
  noun: 'task',
  verb: 'retry',
  summary: 'Resume a task after its last successful stage',
  input,
  output: TaskSchema,
  subject: 'task',
  effects: 'changes',
  commandLine: {
    command: 'task retry',
    group: 'Run tasks',
    arguments: ['task'],
    options: limitOptions,
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/tasks/{task}/retry',
    status: 202,
    answer: 'the task is waiting to run',
    problems: [400, 404, 409, 503],
    body: { id: 'retry-request', title: 'How to retry a task' },
    by: 'its route',
  },
  mcp: { not: 'an agent starts another task; the user decides about more time and money for this one' },
  // The caller runs it: a program with executeTask, every other surface in another process.
  run: ({ context }, request) => retryTask(context, readRetry(request)),
});

export const readRetry = ({ task, ...limits }: RetryTaskRequest): RetryInput => ({
  id: task,
  ...readLimits(limits),
});
