import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type Task, TaskSchema } from '../../domain/task/task.js';
import { taskField } from '../../operations/fields.js';
import { defineOperation } from '../../operations/operation.js';
import { showTask } from './show-task.js';

const input = requestObject({ task: taskField });
export type ShowTaskRequest = z.input<typeof input>;
export type ShowTaskAnswer = Task;

export const showTaskOperation = defineOperation({
  noun: 'task',
  verb: 'show',
  summary: 'Show the details of a task',
  description:
    'Shows a task with its stages, its validation, where its work is, and the last lines of its log. The linked resource has the whole log.',
  input,
  output: TaskSchema,
  subject: 'task',
  effects: 'reads',
  commandLine: {
    command: 'task show',
    group: 'Run tasks',
    arguments: ['task'],
    prints: { by: 'its command' },
  },
  http: { method: 'get', path: '/api/tasks/{task}', answer: 'the task', problems: [400, 404] },
  mcp: {
    tool: 'task_status',
    by: 'its tool',
    instead: {
      fields: {
        logLines: z.int().min(0).max(1000).default(20).describe('number of log lines from the end'),
      },
    },
  },
  run: ({ context }, { task }) => showTask(context, { id: task }),
});
