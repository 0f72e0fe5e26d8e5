import type { MiddlewareHandler } from 'hono';
import { carrelError } from '../../domain/error.js';
import type { ApiContext, ApiEnvironment } from '../api.js';
import type { Gate } from '../gate.js';
import type { ServerContext } from '../server-context.js';
import { watchAnswer } from '../watch-answer.js';
import { authenticate } from './authenticate.js';
import { checkBody } from './body-check.js';
import { checkHost, ownNamesOf } from './host-check.js';
import { checkOrigin } from './origin-check.js';
import { addressOf } from './remote-address.js';

/** What every request passes before a route sees it; cheap checks first, and no byte of a body before all but the last. */
export function guard(server: ServerContext, gate: Gate): MiddlewareHandler<ApiEnvironment> {
  const { settings, stopping } = server;
  const ownNames = ownNamesOf(settings.host, settings.hostNames);
  const body = checkBody(gate.limits.bodyBytes);
  return async (c, next) => {
    if (stopping.aborted) throw carrelError('SERVER_STOPPING', {});
    checkRate(c, gate);
    checkHost(c.env.incoming, ownNames);
    const isPage = !needsCaller(c.req.path);
    checkOrigin(c.env.incoming.headers, { isPage });
    if (!isPage) c.set('caller', authenticate(c, gate));
    const leave = gate.handlers.enter();
    await body(c, next).finally(leave);
    watchAnswer(c, gate, stopping);
  };
}

/** The same path that routes are found by. Beside these are pages, which are the same for everybody, and the health. */
const needsCaller = (path: string): boolean =>
  path === '/metrics' || path === '/api' || path.startsWith('/api/');

function checkRate(c: ApiContext, { requests }: Gate): void {
  const retryAfterSeconds = requests.take(addressOf(c));
  if (retryAfterSeconds > 0) throw carrelError('TOO_MANY_REQUESTS', { retryAfterSeconds });
}
