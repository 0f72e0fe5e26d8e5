import type { EvalItem } from '../../domain/batch/eval-item.js';
import type { Context } from '../../operations/context.js';
import { type AgentChoice, resolveEvalAgent } from '../agents/resolve-eval-agent.js';
import { pinBases } from '../base/pin-bases.js';
import { filterDataset } from '../datasets/filter-dataset.js';
import { loadDataset } from '../datasets/load-dataset.js';
import type { EvalAgent } from '../eval-agent.js';
import { orClose } from '../record/close-on-error.js';
import { findRun } from '../record/find-run.js';
import { type OpenRun, openRun } from '../record/run-store.js';

interface ReopenedItems {
  readonly run: OpenRun;
  /** The items as they are in the dataset now. */
  readonly items: readonly EvalItem[];
}

/** A run with its tasks, for regrading. */
export async function reopenItems(
  context: Context,
  name: string,
  signal?: AbortSignal,
): Promise<ReopenedItems> {
  const run = await openRun(context, await findRun(context, name));
  return orClose(run, async () => {
    const dataset = await loadDataset(context, run.plan.dataset);
    const { items } = filterDataset(dataset, { taskIds: run.plan.taskIds });
    return { run, items: await pinBases(context, items, signal) };
  });
}

export interface ReopenOptions {
  /** Where to look for a repository's agents. */
  readonly repositoryRoot: string | null;
  /** The agent of a run whose agent has no name. */
  readonly given?: AgentChoice | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The same with its agent, to resume it. */
export async function reopenRun(
  context: Context,
  name: string,
  { repositoryRoot, given, signal }: ReopenOptions,
): Promise<ReopenedItems & { readonly agent: EvalAgent }> {
  const { run, items } = await reopenItems(context, name, signal);
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
