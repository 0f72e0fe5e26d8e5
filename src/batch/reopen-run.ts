import type { EvalItem } from '../domain/eval-item.js';
import type { Context } from '../operations/context.js';
import { type AgentChoice, resolveEvalAgent } from './agents/resolve-eval-agent.js';
import { filterDataset } from './datasets/filter.js';
import { loadDataset } from './datasets/load-dataset.js';
import type { EvalAgent } from './eval-agent.js';
import { findRun } from './find-run.js';
import { orClose } from './or-close.js';
import { pinBases } from './pin-bases.js';
import { type OpenRun, openRun } from './run-store.js';

interface ReopenedItems {
  readonly run: OpenRun;
  /** As the data set has them now. */
  readonly items: readonly EvalItem[];
}

/** A run with its tasks, for whoever judges its work once more. */
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
  /** Where agents of a repository are looked for. */
  readonly repositoryRoot: string | null;
  /** That of a run whose agent has no name. */
  readonly given?: AgentChoice | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The same with its agent, to go on with it. */
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
