import { createRoute, z } from '@hono/zod-openapi';
import type { AddRoutes } from '../api.js';
import { jsonAnswer } from '../route-answers.js';

const HealthSchema = z.object({ status: z.literal('ok'), version: z.string() });

const healthRoute = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'health',
  tags: ['server'],
  summary: 'Tell that the server answers; needs no token',
  security: [],
  responses: { 200: jsonAnswer(HealthSchema, 'it does') },
});

export const addHealthRoutes: AddRoutes = (api, { version }) => {
  api.openapi(healthRoute, c => c.json({ status: 'ok' as const, version }, 200));
};
