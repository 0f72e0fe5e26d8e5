import { createRoute } from '@hono/zod-openapi';
import { OverviewSchema } from '../../../domain/api/overview.js';
import type { AddRoutes } from '../api.js';
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

/** Shares one answer between calls while it is pending and for a time after that. Failures are not cached. */
function remember<T>(now: () => number, milliseconds: number, make: () => Promise<T>): () => Promise<T> {
  let known: { readonly answer: Promise<T>; madeAt: number | undefined } | undefined;
  return () => {
    const isFresh = known && (known.madeAt === undefined || now() - known.madeAt < milliseconds);
    if (known && isFresh) return known.answer;
    const made = { answer: make(), madeAt: undefined as number | undefined };
    known = made;
    made.answer.then(
      () => {
        made.madeAt = now();
      },
      () => {
        if (known === made) known = undefined;
      },
    );
    return made.answer;
  };
}

async function hasRuntime({ app }: ServerContext): Promise<boolean> {
  const { runtimes } = await app.sandboxes();
  for (const name of ['bubblewrap', 'podman', 'docker'] as const)
    if ((await runtimes[name].probe()).obstacle === null) return true;
  return false;
}
