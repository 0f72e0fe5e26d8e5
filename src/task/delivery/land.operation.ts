import type { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type LandResult, LandResultSchema } from '../../domain/report/result.js';
import { landFields, taskField } from '../../operations/fields.js';
import { defineOperation } from '../../operations/operation.js';
import { landTask } from './land-task.js';

const input = requestObject({ task: taskField, ...landFields });
export type LandTaskRequest = z.input<typeof input>;
export type LandTaskAnswer = LandResult;

export const landTaskOperation = defineOperation({
  noun: 'task',
  verb: 'land',
  summary: 'Land the work of a task on a branch of the repository',
  input,
  output: LandResultSchema,
  subject: 'task',
  effects: 'removes',
  commandLine: { not: '`carrel land` lands a workspace or a task' },
  http: {
    method: 'post',
    path: '/api/tasks/{task}/land',
    answer: 'the landed work',
    problems: [400, 404, 409, 422],
    body: { id: 'task-land-request', title: 'How to land a task' },
  },
  mcp: { not: 'task_run lands the work with `land`, and workspace_land lands a kept workspace' },
  run: ({ context, signal }, { task, ...options }) => landTask(context, { id: task, ...options, signal }),
});
