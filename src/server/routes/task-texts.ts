import { createRoute, z } from '@hono/zod-openapi';
import { LogLineSchema } from '../../domain/log-line.js';
import { findTask } from '../../task/find-task.js';
import type { AddRoutes } from '../api.js';
import { lastEventHeader, readLastId } from '../last-event-id.js';
import { problemAnswers, textAnswer } from '../route-answers.js';
import { idParameter, isSet } from '../route-parameters.js';
import { streamOutput } from '../stream-output.js';
import { followLog, sendLog } from '../tasks/send-log.js';
import { diffTask } from '../tasks/task-diff.js';

const tags = ['tasks'];
const params = idParameter('id of the task');

const showDiff = createRoute({
  method: 'get',
  path: '/api/tasks/{id}/diff',
  operationId: 'diffTask',
  tags,
  summary: 'What a task has changed, as `git apply` takes it',
  request: { params },
  responses: { 200: textAnswer('text/x-diff', 'the patch'), ...problemAnswers(400, 404, 409) },
});

const showLog = createRoute({
  method: 'get',
  path: '/api/tasks/{id}/logs',
  operationId: 'readTaskLog',
  tags,
  summary: 'The log of a task; with `follow` as Server-Sent Events until it has ended',
  description:
    'With `Accept: application/x-ndjson` a line each. The messages of a stream have the number of the line as their id and the line as JSON; a connection that breaks goes on after the last id that it names.',
  request: {
    params,
    headers: lastEventHeader.extend({ accept: z.string().optional() }),
    query: z.object({
      follow: z.enum(['true', 'false', '']).optional().describe('go on until the task has ended'),
      tail: z.coerce
        .number()
        .int()
        .min(0)
        .max(100_000)
        .optional()
        .describe('only so many lines from the end'),
    }),
  },
  responses: {
    200: {
      description: 'oldest line first',
      content: {
        'application/json': { schema: z.array(LogLineSchema) },
        'application/x-ndjson': { schema: z.string() },
        'text/event-stream': { schema: z.string() },
      },
    },
    ...problemAnswers(400, 404),
  },
});

// The types of zod-openapi know answers that are made by `c.json` and `c.text`, and none that are streams.
export const addTaskTextRoutes: AddRoutes = (api, server) => {
  api.openapi(showDiff, async c => {
    const task = await findTask(server.app, c.req.valid('param').id);
    const patch = await streamOutput(write => diffTask(server, task, write));
    return c.body(patch, 200, { 'content-type': 'text/x-diff; charset=utf-8' }) as never;
  });
  api.openapi(showLog, async c => {
    const { id } = await findTask(server.app, c.req.valid('param').id);
    const { follow, tail } = c.req.valid('query');
    const headers = c.req.valid('header');
    if (isSet(follow)) return followLog(server, id, readLastId(headers) ?? 0) as never;
    const form = headers.accept?.includes('application/x-ndjson') ? 'lines' : 'json';
    return sendLog(server, id, form, tail) as never;
  });
};
