import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type Task, TaskSchema } from '../../domain/task/task.js';
import { taskField } from '../../operations/fields.js';
import { defineOperation } from '../../operations/operation.js';
import { showTask } from '../record/show-task.js';
import { publishTask } from './publish-task.js';

const input = requestObject({
  task: taskField,
  remote: z.string().optional().describe('the remote to push to (default: origin)'),
  pullRequest: z.boolean().optional().describe('also open a pull request with gh'),
  draft: z.boolean().optional().describe('open the pull request as a draft'),
});
export type PublishTaskRequest = z.input<typeof input>;
export type PublishTaskAnswer = Task;

export const publishTaskOperation = defineOperation({
  noun: 'task',
  verb: 'publish',
  summary: "Push a task's branch, and optionally open a pull request",
  input,
  output: TaskSchema,
  subject: 'task',
  effects: 'changes',
  commandLine: {
    command: 'task publish',
    group: 'Run tasks',
    arguments: ['task'],
    options: { remote: { value: 'name' } },
    prints: { by: 'its command' },
  },
  http: { not: 'a request must not push with the credentials of the user who started the server' },
  mcp: { not: 'an agent must not push with the credentials of the user' },
  run: async ({ context, signal }, { task: id, remote, draft, pullRequest = draft }) => {
    await publishTask(context, { id, remote, pullRequest, draft, signal });
    return showTask(context, { id });
  },
});
