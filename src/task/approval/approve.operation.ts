import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type Task, TaskSchema } from '../../domain/task/task.js';
import { taskField } from '../../operations/fields.js';
import { defineOperation } from '../../operations/operation.js';
import { approveStages } from './approve-stages.js';

const input = requestObject({
  task: taskField,
  stage: z.string().min(1).optional().describe('only this stage (default: all that wait for approval)'),
  message: z.string().min(1).max(10_000).optional().describe('a note that is kept with the approval'),
});
export type ApproveTaskRequest = z.input<typeof input>;
export type ApproveTaskAnswer = Task;

export const approveTaskOperation = defineOperation({
  noun: 'task',
  verb: 'approve',
  summary: 'Approve the work of a stage and continue the task',
  input,
  output: TaskSchema,
  subject: 'task',
  effects: 'changes',
  commandLine: {
    command: 'task approve',
    group: 'Run tasks',
    arguments: ['task'],
    options: { stage: { value: 'name' }, message: { value: 'text', letter: 'm' } },
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/tasks/{task}/approve',
    status: 202,
    answer: 'the task is waiting to run, or for the approval of another stage',
    problems: [400, 404, 409, 503],
    body: { id: 'approve-request', title: 'The approval of a stage' },
    by: 'its route',
  },
  mcp: { not: 'an agent must not approve the work of agents; the user decides' },
  // The caller runs it: a program with executeTask, every other surface in another process.
  run: ({ context }, { task, ...decision }) => approveStages(context, { id: task, ...decision }),
});
