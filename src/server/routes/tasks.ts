import { createRoute, z } from '@hono/zod-openapi';
import { LandRequestSchema, RetryRequestSchema, TaskRequestSchema } from '../../domain/api-requests.js';
import { LandResultSchema } from '../../domain/result.js';
import { TaskSchema } from '../../domain/task.js';
import { TASK_STATUSES } from '../../domain/task-status.js';
import { cancelTask } from '../../task/cancel-task.js';
import { landTask } from '../../task/land-task.js';
import { retryTask } from '../../task/retry-task.js';
import { showTask } from '../../task/show-task.js';
import type { AddRoutes } from '../api.js';
import { jsonAnswer, jsonBody, optionalBody, problemAnswers } from '../route-answers.js';
import { idParameter } from '../route-parameters.js';
import { acceptTask, beginTask, limitsOf } from '../stories/accept-task.js';
import { idempotencyHeader, readIdempotency } from '../stories/idempotency.js';
import { listNewestTasks } from '../tasks/list-newest.js';
import { requireChangeableTask } from '../tasks/require-changeable-task.js';
import { addTaskTextRoutes } from './task-texts.js';

const tags = ['tasks'];
const params = idParameter('id of the task');

const createTask = createRoute({
  method: 'post',
  path: '/api/tasks',
  operationId: 'createTask',
  tags,
  summary: 'Have a task done',
  request: { body: jsonBody(TaskRequestSchema), headers: idempotencyHeader },
  responses: { 202: jsonAnswer(TaskSchema, 'it is accepted'), ...problemAnswers(400, 409, 422, 503) },
});

const listTasks = createRoute({
  method: 'get',
  path: '/api/tasks',
  operationId: 'listTasks',
  tags,
  summary: 'List tasks, of all repositories unless one is named',
  request: {
    query: z.object({
      repository: z.string().min(1).optional().describe('root of a repository, or the url it was named by'),
      status: z.enum(TASK_STATUSES).optional(),
      limit: z.coerce.number().int().min(1).max(1000).default(200),
    }),
  },
  responses: { 200: jsonAnswer(z.array(TaskSchema), 'newest first'), ...problemAnswers(400) },
});

const showOne = createRoute({
  method: 'get',
  path: '/api/tasks/{id}',
  operationId: 'showTask',
  tags,
  summary: 'Show one task',
  request: { params },
  responses: { 200: jsonAnswer(TaskSchema, 'the task'), ...problemAnswers(400, 404) },
});

const cancel = createRoute({
  method: 'post',
  path: '/api/tasks/{id}/cancel',
  operationId: 'cancelTask',
  tags,
  summary: 'Cancel a task; what was done stays where it is',
  request: { params },
  responses: {
    200: jsonAnswer(TaskSchema, 'as it ended, or as it still is when its process needs longer'),
    ...problemAnswers(400, 404, 409),
  },
});

const retry = createRoute({
  method: 'post',
  path: '/api/tasks/{id}/retry',
  operationId: 'retryTask',
  tags,
  summary: 'Go on with a task that failed, was cancelled or was interrupted',
  request: { params, body: optionalBody(RetryRequestSchema) },
  responses: { 202: jsonAnswer(TaskSchema, 'it waits for its turn'), ...problemAnswers(400, 404, 409, 503) },
});

const land = createRoute({
  method: 'post',
  path: '/api/tasks/{id}/land',
  operationId: 'landTask',
  tags,
  summary: 'Bring the work of a task to a branch of the repository',
  request: { params, body: optionalBody(LandRequestSchema) },
  responses: { 200: jsonAnswer(LandResultSchema, 'it has landed'), ...problemAnswers(400, 404, 409, 422) },
});

/** Ending everything that an agent started may take longer; the answer then says how it is so far. */
const CANCEL_MS = 20_000;

export const addTaskRoutes: AddRoutes = (api, server) => {
  const { app } = server;
  api.openapi(createTask, async c => {
    const wish = c.req.valid('json');
    const idempotency = readIdempotency(c.req.valid('header'), wish);
    const task = await acceptTask(server, wish, { idempotency, signal: c.req.raw.signal });
    return c.json(task, 202, { location: `/api/tasks/${task.id}` });
  });
  api.openapi(listTasks, async c => c.json(await listNewestTasks(server, c.req.valid('query')), 200));
  api.openapi(showOne, async c => c.json(await showTask(app, c.req.valid('param')), 200));
  api.openapi(cancel, async c => {
    const { id } = await requireChangeableTask(server, c.req.valid('param').id);
    return c.json(await cancelTask(app, { id, timeoutMs: CANCEL_MS, signal: c.req.raw.signal }), 200);
  });
  api.openapi(retry, async c => {
    const { id } = await requireChangeableTask(server, c.req.valid('param').id);
    const { timeoutSeconds, costLimitUsd } = c.req.valid('json') ?? {};
    const task = await retryTask(app, {
      id,
      timeoutMs: timeoutSeconds && timeoutSeconds * 1000,
      limits: limitsOf(costLimitUsd),
      taker: 'another-process',
    });
    await beginTask(server, task.id);
    return c.json(task, 202, { location: `/api/tasks/${task.id}` });
  });
  api.openapi(land, async c => {
    const { id } = await requireChangeableTask(server, c.req.valid('param').id);
    return c.json(await landTask(app, { ...c.req.valid('json'), id }), 200);
  });
  addTaskTextRoutes(api, server);
};
