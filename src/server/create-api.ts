import { OpenAPIHono } from '@hono/zod-openapi';
import { carrelError } from '../domain/error.js';
import type { AddRoutes, Api } from './api.js';
import type { Gate } from './gate.js';
import { invalidRequest } from './invalid-request.js';
import type { Page } from './load-pages.js';
import { problemResponse } from './problem-response.js';
import { logRequests } from './request-log.js';
import { addBatchRoutes } from './routes/batches.js';
import { addDashboardRoutes } from './routes/dashboard.js';
import { addDeveloperRoutes } from './routes/developer.js';
import { addEventRoutes } from './routes/events.js';
import { addHealthRoutes } from './routes/health.js';
import { addMetricsRoute } from './routes/metrics.js';
import { addOverviewRoutes } from './routes/overview.js';
import { addPoolRoutes } from './routes/pool.js';
import { addReferenceRoutes } from './routes/reference.js';
import { addSessionRoutes } from './routes/session.js';
import { addSettingsRoutes } from './routes/settings.js';
import { addSnapshotRoutes } from './routes/snapshots.js';
import { addTaskRoutes } from './routes/tasks.js';
import { addWorkspaceRoutes } from './routes/workspaces.js';
import { guard } from './security/guard.js';
import { secureHeaders } from './security/headers.js';
import type { ServerContext } from './server-context.js';

const parts: readonly AddRoutes[] = [
  addDeveloperRoutes,
  addTaskRoutes,
  addEventRoutes,
  addWorkspaceRoutes,
  addSnapshotRoutes,
  addPoolRoutes,
  addBatchRoutes,
  addSettingsRoutes,
  addOverviewRoutes,
  addReferenceRoutes,
  addHealthRoutes,
];

/** All routes behind the checks that every request passes. The pages come last: they take what nothing else takes. */
export function createApi(server: ServerContext, gate: Gate, pages: ReadonlyMap<string, Page>): Api {
  const api: Api = new OpenAPIHono({ defaultHook: invalidRequest });
  api.use(logRequests(server.log, gate.metrics), secureHeaders, guard(server, gate));
  for (const addRoutes of parts) addRoutes(api, server);
  addSessionRoutes(api, gate);
  addMetricsRoute(api, server, gate);
  addDashboardRoutes(api, pages);
  api.notFound(c =>
    problemResponse(c, carrelError('ROUTE_NOT_FOUND', { method: c.req.method, path: c.req.path })),
  );
  api.onError((error, c) => problemResponse(c, error));
  return api;
}
