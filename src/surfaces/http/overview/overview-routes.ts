import { createRoute } from '@hono/zod-openapi';
import { OverviewSchema } from '../../../domain/api/overview.js';
import type { AddRoutes } from '../api.js';
import { remember } from '../responses/remember.js';
import { jsonAnswer } from '../responses/route-responses.js';
import type { ServerContext } from '../server-context.js';
import { describeOverview } from './describe-overview.js';

const overviewRoute = createRoute({
  method: 'get',
  path: '/api/overview',
  operationId: 'showOverview',
  tags: ['overview'],
  summary: 'Show tasks, warm workspaces, disks and alerts',
  responses: { 200: jsonAnswer(OverviewSchema, 'at most a second old') },
});

/** Every open page requests it at the same time, on every event. */
const FRESH_MS = 1000;
/** Detecting a runtime starts processes, and the result only changes when the user installs something. */
const RUNTIME_FRESH_MS = 60_000;

export const addOverviewRoutes: AddRoutes = (api, server) => {
  const { now } = server.app;
  const lookForRuntime = remember(now, RUNTIME_FRESH_MS, () => hasRuntime(server));
  const overview = remember(now, FRESH_MS, () => describeOverview(server, lookForRuntime));
  api.openapi(overviewRoute, async c => c.json(await overview(), 200));
};

async function hasRuntime({ app }: ServerContext): Promise<boolean> {
  const { runtimes } = await app.sandboxes();
  for (const name of ['bubblewrap', 'podman', 'docker'] as const)
    if ((await runtimes[name].probe()).obstacle === null) return true;
  return false;
}
