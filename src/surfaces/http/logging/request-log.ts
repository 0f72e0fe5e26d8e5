import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Logger } from 'pino';
import type { ApiContext, ApiEnvironment } from '../api.js';
import type { Metrics } from './request-metrics.js';

const LONGEST_PATH = 300;

/** Gives every request our own id (never the client's, which could be any text), and logs it when it is answered. */
export function logRequests(log: Logger, metrics: Metrics): MiddlewareHandler<ApiEnvironment> {
  return async (c, next) => {
    const begun = performance.now();
    const requestId = randomUUID();
    c.set('requestId', requestId);
    await next();
    c.res.headers.set('x-request-id', requestId);
    const milliseconds = performance.now() - begun;
    metrics.countRequest({ method: c.req.method, route: routeOf(c), status: c.res.status, milliseconds });
    const line = { requestId, method: c.req.method, path: pathOf(c), status: c.res.status };
    log[c.res.status >= 500 ? 'error' : 'info'](
      { ...line, ms: Math.round(milliseconds * 10) / 10 },
      'request',
    );
    if (c.error && c.res.status === 500) log.error({ requestId, err: c.error }, 'a request failed');
  };
}

/** The pattern, so that ids do not create a time series each. */
function routeOf(c: ApiContext): string {
  const path = routePath(c);
  return path === '' || path.includes('*') ? 'other' : path;
}

/** Without the query, which may hold a login code, and as the URL parser writes it: only ASCII. */
function pathOf(c: ApiContext): string {
  return new URL(c.req.url).pathname.slice(0, LONGEST_PATH);
}
