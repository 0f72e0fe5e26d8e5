import type { EvalItem } from '../domain/eval-item.js';
import type { Context } from '../operations/context.js';
import { type AgentChoice, resolveEvalAgent } from './agents/resolve-eval-agent.js';
import { filterDataset } from './datasets/filter.js';
import { loadDataset } from './datasets/load-dataset.js';
import type { EvalAgent } from './eval-agent.js';
import { findRun } from './find-run.js';
import { pinBases } from './pin-bases.js';
import { type OpenRun, openRun } from './run-store.js';

interface ReopenedItems {
  readonly run: OpenRun;
  /** As the data set has them now. */
  readonly items: readonly EvalItem[];
}

/** A run with its tasks, for whoever judges its work once more. */
export async function reopenItems(context: Context, name: string): Promise<ReopenedItems> {
  const run = await openRun(context, await findRun(context, name));
  return orClose(run, async () => {
    const dataset = await loadDataset(context, run.plan.dataset);
    const { items } = filterDataset(dataset, { taskIds: run.plan.taskIds });
    return { run, items: await pinBases(context, items) };
  });
}

/** The same with its agent, to go on with it; `given` is that of a run whose agent has no name. */
export async function reopenRun(
  context: Context,
  name: string,
  repositoryRoot: string | null,
  given?: AgentChoice,
): Promise<ReopenedItems & { readonly agent: EvalAgent }> {
  const { run, items } = await reopenItems(context, name);
  return orClose(run, async () => {
    const model = run.plan.model ?? undefined;
    const isInImage = run.plan.isolation === 'docker';
    const agent = await resolveEvalAgent(context, given ?? run.plan.agent, {
      repositoryRoot,
      model,
      isInImage,
    });
    return { run, items, agent };
  });
}

async function orClose<T>(run: OpenRun, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    await run.close();
    throw error;
  }
}
