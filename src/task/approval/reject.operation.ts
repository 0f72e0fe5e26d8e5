import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type Task, TaskSchema } from '../../domain/task/task.js';
import { taskField } from '../../operations/fields.js';
import { defineOperation } from '../../operations/operation.js';
import { rejectStages } from './reject-stages.js';

const input = requestObject({
  task: taskField,
  message: z.string().min(1).max(10_000).describe('the reason; the agent gets it when the stage runs again'),
  stage: z.string().min(1).optional().describe('only this stage (default: all that wait for approval)'),
  retry: z.boolean().optional().describe('run the stage again at once, instead of failing the task'),
});
export type RejectTaskRequest = z.input<typeof input>;
export type RejectTaskAnswer = Task;

export const rejectTaskOperation = defineOperation({
  noun: 'task',
  verb: 'reject',
  summary: 'Reject the work of a stage, and fail the task or run the stage again',
  input,
  output: TaskSchema,
  subject: 'task',
  effects: 'changes',
  commandLine: {
    command: 'task reject',
    group: 'Run tasks',
    arguments: ['task'],
    options: { stage: { value: 'name' }, message: { value: 'text', letter: 'm' } },
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/tasks/{task}/reject',
    status: 202,
    answer: 'the task has failed or, with `retry`, is waiting to run',
    problems: [400, 404, 409, 503],
    body: { id: 'reject-request', title: 'The rejection of a stage' },
    by: 'its route',
  },
  mcp: { not: 'an agent must not decide about the work of agents; the user decides' },
  // With `retry` the caller runs it: a program with executeTask, every other surface in another process.
  run: ({ context }, { task, ...decision }) => rejectStages(context, { id: task, ...decision }),
});
