import { resolveEvalAgent } from '../../batch/agents/resolve-eval-agent.js';
import { findRunById } from '../../batch/find-run.js';
import { reopenItems } from '../../batch/reopen-run.js';
import { type OpenRun, readRun } from '../../batch/run-store.js';
import { AgentNameSchema } from '../../domain/agent.js';
import type { BatchSummary } from '../../domain/batch-summary.js';
import type { ServerContext } from '../server-context.js';
import { summarizeBatch } from './batch-summary.js';
import { leaveToBackground } from './leave-to-background.js';

/** Lets a process of its own do what is left of a run. One that is finished stays as it is. RUN_NOT_FOUND, RUN_BUSY. */
export async function resumeBatch(
  server: ServerContext,
  id: string,
  signal: AbortSignal,
): Promise<BatchSummary> {
  const found = await readRun(await findRunById(server.app, id));
  if (found.status === 'finished') return summarizeBatch(found);
  const { run } = await reopenItems(server.app, id, signal);
  try {
    await requireAgent(server, run);
  } catch (error) {
    await run.close();
    throw error;
  }
  return leaveToBackground(server, run);
}

/** A module or a command that somebody has named on the command line is for the new process: nothing of it is loaded here. */
async function requireAgent({ app, settings }: ServerContext, { plan }: OpenRun): Promise<void> {
  if (!AgentNameSchema.safeParse(plan.agent).success) return;
  await resolveEvalAgent(app, plan.agent, {
    repositoryRoot: settings.repository,
    model: plan.model ?? undefined,
    isInImage: plan.isolation === 'docker',
  });
}
