import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type LogLine, LogLineSchema } from '../../domain/task/log-line.js';
import { taskField } from '../../operations/fields.js';
import { defineOperation } from '../../operations/operation.js';
import { lastOf } from './last-lines.js';
import { readLog } from './read-log.js';

const input = requestObject({
  task: taskField,
  follow: z.boolean().optional().describe('continue until the task stops'),
  tail: z.int().min(0).max(100_000).optional().describe('only this number of lines from the end'),
});
export type LogTaskRequest = z.input<typeof input>;
export type LogTaskAnswer = LogLine[];

export const logTaskOperation = defineOperation({
  noun: 'task',
  verb: 'log',
  summary: 'Print the log of a task and its agents',
  input,
  output: z.array(LogLineSchema),
  subject: 'task',
  effects: 'reads',
  commandLine: {
    command: 'task logs',
    group: 'Run tasks',
    arguments: ['task'],
    without: { tail: 'the program `tail` does it' },
    prints: { by: 'its command' },
  },
  http: {
    method: 'get',
    path: '/api/tasks/{task}/logs',
    operationId: 'readTaskLog',
    answer: 'oldest line first',
    problems: [400, 404],
    isStream: true,
    by: 'its route',
  },
  mcp: { not: 'task_status has the last lines, and a resource all of them' },
  run: async ({ context, signal }, { task: id, follow, tail }) => {
    const lines: LogLine[] = [];
    for await (const line of lastOf(readLog(context, { id, follow, signal }), tail)) lines.push(line);
    return lines;
  },
});
