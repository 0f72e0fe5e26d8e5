import { createRoute } from '@hono/zod-openapi';
import { OverviewSchema } from '../../domain/overview.js';
import type { AddRoutes } from '../api.js';
import { describeOverview } from '../overview/describe-overview.js';
import { remember } from '../overview/remember.js';
import { jsonAnswer } from '../route-answers.js';
import type { ServerContext } from '../server-context.js';

const overviewRoute = createRoute({
  method: 'get',
  path: '/api/overview',
  operationId: 'showOverview',
  tags: ['overview'],
  summary: 'What goes on: tasks, warm workspaces, disks, and what somebody should do something about',
  responses: { 200: jsonAnswer(OverviewSchema, 'at most a second old') },
});

/** Every open page asks at the same time, whenever something happens. */
const FRESH_MS = 1000;
/** A look for a runtime starts processes, and its answer changes when somebody installs something. */
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
