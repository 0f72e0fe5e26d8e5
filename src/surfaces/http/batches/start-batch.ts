import { planRequest } from '../../../batch/plan/plan-request.js';
import { createRun } from '../../../batch/record/run-store.js';
import type { BatchRequest } from '../../../batch/run/start.operation.js';
import type { Answer } from '../routes/own-answers.js';
import type { ServerContext } from '../server-context.js';
import { requireAgentName, requireAllowedDataset } from './require-allowed-options.js';
import { leaveToBackground } from './start-in-background.js';

/** Plans a batch here, so that errors are reported at once, and runs it in a separate process. */
export const answerStart =
  (server: ServerContext): Answer =>
  async ({ input, call: { signal } }, c) => {
    const { dataset, agent, ...request } = input as unknown as BatchRequest;
    const allowed = {
      ...request,
      dataset: await requireAllowedDataset(server, dataset),
      agent: agent === undefined ? undefined : requireAgentName(agent),
    };
    const { repository: repositoryRoot } = server.settings;
    const { plan } = await planRequest(server.app, allowed, { repositoryRoot, signal });
    const started = await leaveToBackground(server, await createRun(server.app, plan));
    return c.json(started, 202, { location: `/api/batches/${started.id}` });
  };
