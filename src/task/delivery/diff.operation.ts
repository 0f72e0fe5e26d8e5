import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { taskField } from '../../operations/fields.js';
import { defineOperation } from '../../operations/operation.js';
import { findCurrentTask } from '../record/current-task.js';
import { diffTask } from './diff-task.js';

const input = requestObject({ task: taskField });
export type DiffTaskRequest = z.input<typeof input>;
export type DiffTaskAnswer = string;

export const diffTaskOperation = defineOperation({
  noun: 'task',
  verb: 'diff',
  summary: 'Print the changes of a task as a patch for git apply',
  input,
  output: z.string(),
  subject: 'task',
  effects: 'reads',
  commandLine: {
    command: 'task diff',
    group: 'Run tasks',
    arguments: ['task'],
    prints: { by: 'its command' },
  },
  http: {
    method: 'get',
    path: '/api/tasks/{task}/diff',
    answer: 'the patch',
    problems: [400, 404, 409],
    text: 'text/x-diff',
    by: 'its route',
  },
  mcp: { not: 'workspace_diff shows a kept workspace, and git the branch that task_status names' },
  run: async ({ context }, { task }) => {
    const chunks: Buffer[] = [];
    await diffTask(context, await findCurrentTask(context, task), chunk => void chunks.push(chunk));
    return Buffer.concat(chunks).toString('utf8');
  },
});
