import { resolveEvalAgent } from '../../../batch/agents/resolve-eval-agent.js';
import { reopenItems } from '../../../batch/plan/reopen-run.js';
import { type OpenRun, readRun } from '../../../batch/record/run-store.js';
import { summarizeBatch } from '../../../batch/record/summarize-batch.js';
import { AgentNameSchema } from '../../../domain/agent/agent.js';
import type { Answer } from '../routes/own-answers.js';
import type { ServerContext } from '../server-context.js';
import { leaveToBackground } from './start-in-background.js';

/** Resumes a run in a separate process. A finished run does not change. RUN_NOT_FOUND, RUN_BUSY. */
export const answerResume =
  (server: ServerContext): Answer =>
  async ({ input, call }, c) => {
    const found = await readRun(input.run as string);
    if (found.status === 'finished') return c.json(summarizeBatch(found), 202);
    const { run } = await reopenItems(server.app, found.directory, call.signal);
    try {
      await requireAgent(server, run);
    } catch (error) {
      await run.close();
      throw error;
    }
    return c.json(await leaveToBackground(server, run), 202);
  };

/** A module or command from the command line is loaded by the new process only. */
async function requireAgent({ app, settings }: ServerContext, { plan }: OpenRun): Promise<void> {
  if (!AgentNameSchema.safeParse(plan.agent).success) return;
  await resolveEvalAgent(app, plan.agent, {
    repositoryRoot: settings.repository,
    model: plan.model ?? undefined,
    isInImage: plan.isolation === 'docker',
  });
}
