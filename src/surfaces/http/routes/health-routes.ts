import { createRoute, z } from '@hono/zod-openapi';
import type { AddRoutes } from '../api.js';
import { jsonAnswer } from '../responses/route-responses.js';

const HealthSchema = z.object({ status: z.literal('ok'), version: z.string() });

const healthRoute = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'health',
  tags: ['server'],
  summary: 'Check that the server is running; needs no token',
  security: [],
  responses: { 200: jsonAnswer(HealthSchema, 'the server is running') },
});

export const addHealthRoutes: AddRoutes = (api, { version }) => {
  api.openapi(healthRoute, c => c.json({ status: 'ok' as const, version }, 200));
};
