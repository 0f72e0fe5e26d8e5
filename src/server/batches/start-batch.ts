import { planBatch } from '../../batch/plan-batch.js';
import { createRun, type OpenRun } from '../../batch/run-store.js';
import type { BatchRequest } from '../../domain/api-requests.js';
import type { BatchSummary } from '../../domain/batch-summary.js';
import type { ServerContext } from '../server-context.js';
import { leaveToBackground } from './leave-to-background.js';
import { requireAgentName, requireAllowedDataset } from './require-allowed-wishes.js';

/** Plans a batch here, so that everything that is wrong with it is told at once, and leaves the work to a process of its own. */
export async function startBatch(
  server: ServerContext,
  request: BatchRequest,
  signal: AbortSignal,
): Promise<BatchSummary> {
  const run = await prepare(server, request, signal);
  return leaveToBackground(server, run);
}

async function prepare(server: ServerContext, request: BatchRequest, signal: AbortSignal): Promise<OpenRun> {
  const { attempts = 1, parallelism = 1, isolation, costLimitUsd, timeoutSeconds } = request;
  const { plan } = await planBatch(server.app, {
    dataset: await requireAllowedDataset(server, request.dataset),
    agent: requireAgentName(request.agent),
    filter: { taskIds: request.taskIds },
    repositoryRoot: server.settings.repository,
    timeoutMs: timeoutSeconds === undefined ? undefined : Math.ceil(timeoutSeconds * 1000),
    ...{ attempts, parallelism, isolation, costLimitUsd, signal },
  });
  return createRun(server.app, plan);
}
