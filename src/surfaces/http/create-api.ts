import { OpenAPIHono } from '@hono/zod-openapi';
import type { z } from 'zod';
import { carrelError } from '../../domain/error/error.js';
import type { AddRoutes, Api } from './api.js';
import { addHubRoutes } from './fleet/hub-routes.js';
import { logRequests } from './logging/request-log.js';
import { addOverviewRoutes } from './overview/overview-routes.js';
import { addReferenceRoutes } from './reference-page/reference-routes.js';
import { problemResponse } from './responses/problem-response.js';
import { refuseUnknownFields } from './responses/strict-routes.js';
import { addDashboardRoutes } from './routes/dashboard-routes.js';
import { addDeveloperRoutes } from './routes/developer-routes.js';
import { addEventRoutes } from './routes/event-routes.js';
import { addHealthRoutes } from './routes/health-routes.js';
import type { Page } from './routes/load-pages.js';
import { addMetricsRoute } from './routes/metrics-routes.js';
import { addOperationRoutes } from './routes/operation-routes.js';
import { addSessionRoutes } from './routes/session-routes.js';
import { guard } from './security/guard.js';
import type { Gate } from './security/request-gate.js';
import { secureHeaders } from './security/security-headers.js';
import type { ServerContext } from './server-context.js';

const parts: readonly AddRoutes[] = [
  addDeveloperRoutes,
  addEventRoutes,
  addOperationRoutes,
  addOverviewRoutes,
  addReferenceRoutes,
  addHealthRoutes,
];

/** All routes, behind the checks of every request. The pages come last, because they match every other path. */
export function createApi(server: ServerContext, gate: Gate, pages: ReadonlyMap<string, Page>): Api {
  const api: Api = new OpenAPIHono({ defaultHook: invalidRequest });
  refuseUnknownFields(api);
  api.use(logRequests(server.log, gate.metrics), secureHeaders, guard(server, gate));
  for (const addRoutes of parts) addRoutes(api, server);
  addHubRoutes(api, server, gate);
  addSessionRoutes(api, gate);
  addMetricsRoute(api, server, gate);
  addDashboardRoutes(api, pages);
  api.notFound(c =>
    problemResponse(c, carrelError('ROUTE_NOT_FOUND', { method: c.req.method, path: c.req.path })),
  );
  api.onError((error, c) => problemResponse(c, error));
  return api;
}

/** Called by zod-openapi after it has checked a part of a request. */
interface ValidationResult {
  readonly target: string;
  readonly success: boolean;
  readonly error?: z.core.$ZodError | undefined;
}

const partNames: Readonly<Record<string, string>> = { json: 'body', param: 'path' };

/** Refuses a request with an invalid path, query or body. */
function invalidRequest({ target, success, error }: ValidationResult): void {
  if (success) return;
  const part = partNames[target] ?? target;
  const issues = (error?.issues ?? []).map(({ path, message }) => ({
    at: [part, ...path.map(String)].join('.'),
    problem: message,
  }));
  throw carrelError('REQUEST_INVALID', { issues });
}
