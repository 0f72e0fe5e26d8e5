import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type Task, TaskSchema } from '../../domain/task/task.js';
import { TASK_STATUSES } from '../../domain/task/task-status.js';
import { defineOperation } from '../../operations/operation.js';
import { listTasks } from './list-tasks.js';

const input = requestObject({
  all: z.boolean().optional().describe('list the tasks of all repositories'),
  status: z.enum(TASK_STATUSES).optional().describe('list only tasks with this status'),
  limit: z.int().min(1).max(1000).optional().describe('list only this many tasks, the newest'),
});
export type ListTasksRequest = z.input<typeof input>;
export type ListTasksAnswer = Task[];

export const listTasksOperation = defineOperation({
  noun: 'task',
  verb: 'list',
  summary: 'List the tasks of this repository or of all repositories',
  input,
  output: z.array(TaskSchema),
  effects: 'reads',
  commandLine: {
    command: 'task ls',
    group: 'Run tasks',
    arguments: [],
    options: { status: { value: 'status' }, limit: { value: 'number' } },
    prints: { by: 'its command' },
  },
  http: {
    method: 'get',
    path: '/api/tasks',
    operationId: 'listTasks',
    answer: 'newest first; at most 200 unless `limit` says otherwise',
    problems: [400],
    everywhere: true,
    repository: 'as it was sent',
    by: 'its route',
  },
  mcp: { not: 'task_run answers with the id of its task; every tool is in the context of every agent' },
  run: ({ context, repository }, { all, status, limit }) =>
    listTasks(context, { repository, all, statuses: status && [status], limit }),
});
