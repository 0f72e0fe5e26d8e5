import type { MiddlewareHandler } from 'hono';
import { carrelError } from '../../../domain/error/error.js';
import type { ApiContext, ApiEnvironment } from '../api.js';
import { isBlobPath } from '../fleet/hub-routes.js';
import { isEventStream } from '../responses/send-stream.js';
import type { ServerContext } from '../server-context.js';
import { authenticate } from './authenticate.js';
import { checkBody } from './body-check.js';
import { checkHost, ownNamesOf } from './host-check.js';
import { checkOrigin } from './origin-check.js';
import { addressOf } from './remote-address.js';
import type { Gate } from './request-gate.js';
import { watchAnswer } from './watch-response.js';

/** The checks of every request; cheap ones first, and the body is read only in the last one. */
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
    const check = isBlobPath(c.req.path) ? passOn : body;
    await check(c, next).finally(leave);
    watchAnswer(c, gate, stopping);
    closeWithSession(c, gate);
  };
}

const passOn = async (_: unknown, next: () => Promise<void>): Promise<void> => next();

/** Open answers to a browser are closed when its user signs out. */
function closeWithSession(c: ApiContext, { sessions }: Gate): void {
  const session = c.get('session');
  if (session === undefined || !isEventStream(c.res)) return;
  const { outgoing } = c.env;
  outgoing.once(
    'close',
    sessions.whenEnded(session, () => outgoing.destroy()),
  );
}

/** The path that routing uses. Other paths are the public pages and the health check. */
const needsCaller = (path: string): boolean =>
  path === '/metrics' || path === '/api' || path.startsWith('/api/');

function checkRate(c: ApiContext, { requests }: Gate): void {
  const retryAfterSeconds = requests.take(addressOf(c));
  if (retryAfterSeconds > 0) throw carrelError('TOO_MANY_REQUESTS', { retryAfterSeconds });
}
