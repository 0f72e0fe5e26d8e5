import { carrelError } from '../../../domain/error/error.js';
import { type Hub, openHub } from '../../../fleet/artifacts/hub/hub.js';
import { answerBlob } from '../../../fleet/artifacts/hub/hub-answers.js';
import { findHubSettings } from '../../../fleet/artifacts/hub/hub-settings.js';
import type { Api, ApiContext } from '../api.js';
import { failedLogin } from '../security/authenticate.js';
import type { Gate } from '../security/request-gate.js';
import type { ServerContext } from '../server-context.js';
import { createTokenCheck } from '../sessions/server-token-file.js';

const PATH = '/fleet/blobs';

/** Bodies of blobs are bytes, and the hub has its own limits for them. */
export const isBlobPath = (path: string): boolean => path.startsWith(`${PATH}/`);

/**
 * The blobs of a fleet, when this machine is its hub. The token of the hub opens only these routes, and the server's own
 * token does not open them: workers have the one and must not have the other.
 */
export function addHubRoutes(api: Api, { app }: ServerContext, gate: Gate): void {
  let hub: Hub | undefined;
  api.on(['GET', 'PUT'], `${PATH}/:hash`, async c => {
    const { method, path } = c.req;
    const settings = await findHubSettings(app);
    if (!settings) throw carrelError('ROUTE_NOT_FOUND', { method, path });
    requireToken(c, gate, settings.token);
    const { directory, limits } = settings;
    // One for all requests: it knows which uploads are under way.
    hub ??= openHub(directory, limits);
    const { headers, body } = c.req.raw;
    return answerBlob(hub, { method, hash: c.req.param('hash'), headers, body });
  });
}

function requireToken(c: ApiContext, gate: Gate, token: string): void {
  const [, given] = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '') ?? [];
  if (given === undefined || !createTokenCheck(token)(given))
    throw failedLogin(c, gate, 'the token of the hub is wrong or missing');
}
