import type { z } from 'zod';
import { requestObject } from '../domain/api/request-object.js';
import { type Task, TaskSchema } from '../domain/task/task.js';
import { taskField } from '../operations/fields.js';
import { defineOperation } from '../operations/operation.js';
import { cancelTask } from './cancel-task.js';

const input = requestObject({ task: taskField });
export type CancelTaskRequest = z.input<typeof input>;
export type CancelTaskAnswer = Task;

export const cancelTaskOperation = defineOperation({
  noun: 'task',
  verb: 'cancel',
  summary: 'Stop a task and its agents, and keep its work',
  description: 'Stops a task and all its processes. Its work is kept in its workspace.',
  input,
  output: TaskSchema,
  subject: 'task',
  effects: 'removes',
  commandLine: {
    command: 'task cancel',
    group: 'Run tasks',
    arguments: ['task'],
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/tasks/{task}/cancel',
    answer: 'the cancelled task, or the current one if its process needs longer to stop',
    problems: [400, 404, 409],
    // Stopping all processes of an agent may take longer than a client waits.
    within: 20,
  },
  mcp: { tool: 'task_cancel' },
  run: ({ context, signal }, { task }) => cancelTask(context, { id: task, signal }),
});
