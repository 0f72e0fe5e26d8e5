import { createRoute, z } from '@hono/zod-openapi';
import { WarmRequestSchema } from '../../domain/api-requests.js';
import { PoolDrainingSchema, PoolReportSchema, PoolWarmingSchema } from '../../domain/pool-report.js';
import { drainPool, poolStatus, warmPool } from '../../operations/pool.js';
import type { AddRoutes } from '../api.js';
import { openDirectory } from '../repositories/open-repository.js';
import { jsonAnswer, jsonBody, optionalBody, problemAnswers } from '../route-answers.js';
import { repositoryQuery } from '../route-parameters.js';

const tags = ['pool'];

const statusRoute = createRoute({
  method: 'get',
  path: '/api/pool',
  operationId: 'showPool',
  tags,
  summary: 'Show the warm workspaces of a repository',
  request: { query: repositoryQuery },
  responses: {
    200: jsonAnswer(PoolReportSchema, 'its slots and what is left of them'),
    ...problemAnswers(400, 404, 422),
  },
});

const warmRoute = createRoute({
  method: 'post',
  path: '/api/pool/warm',
  operationId: 'warmPool',
  tags,
  summary: 'Make warm workspaces until so many stand ready',
  request: { body: jsonBody(WarmRequestSchema) },
  responses: {
    200: jsonAnswer(PoolWarmingSchema, 'what stands ready now'),
    ...problemAnswers(400, 404, 422, 503),
  },
});

const drainRoute = createRoute({
  method: 'post',
  path: '/api/pool/drain',
  operationId: 'drainPool',
  tags,
  summary: 'Remove the warm workspaces that nobody uses',
  request: { body: optionalBody(z.object(repositoryQuery.shape)) },
  responses: {
    200: jsonAnswer(PoolDrainingSchema, 'what was removed and what is in use'),
    ...problemAnswers(400, 404, 422),
  },
});

export const addPoolRoutes: AddRoutes = (api, server) => {
  const { app } = server;
  api.openapi(statusRoute, async c => {
    const repository = await openDirectory(server, c.req.valid('query').repository);
    return c.json(await poolStatus(app, { repository }), 200);
  });
  api.openapi(warmRoute, async c => {
    const { repository: given, count } = c.req.valid('json');
    const repository = await openDirectory(server, given);
    return c.json(await warmPool(app, { repository, count }), 200);
  });
  api.openapi(drainRoute, async c => {
    const repository = await openDirectory(server, c.req.valid('json').repository);
    return c.json(await drainPool(app, { repository }), 200);
  });
};
