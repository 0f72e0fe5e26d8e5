import type { AttemptIsolation } from '../../domain/batch/attempt.js';
import type { BatchPlan, TaskLabels } from '../../domain/batch/batch-run.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { Context } from '../../operations/context.js';
import { type AgentChoice, resolveEvalAgent } from '../agents/resolve-eval-agent.js';
import { pinBases } from '../base/pin-bases.js';
import { chooseAttemptIsolation } from '../create-provider.js';
import type { Dataset, ItemFilter } from '../datasets/dataset.js';
import { setAsideUnready } from '../datasets/exclude-unready.js';
import { filterDataset } from '../datasets/filter-dataset.js';
import { loadDataset, referToDataset } from '../datasets/load-dataset.js';
import { shuffle } from '../datasets/shuffle.js';
import type { EvalAgent } from '../eval-agent.js';
import { requireAttemptSandbox } from '../provider/sandbox-provider.js';
import { describeEnvironment } from './describe-environment.js';
import { readQuarantine } from './quarantine.js';

export interface PlanOptions {
  /** Its name, or the path of a file or directory. */
  readonly dataset: string;
  readonly filter: ItemFilter;
  readonly agent: AgentChoice;
  readonly model?: string | undefined;
  /** Where to look for a repository's agents; null for only the user's own and the presets. */
  readonly repositoryRoot: string | null;
  readonly attempts: number;
  readonly parallelism: number;
  /** Chosen by the parallelism by default. */
  readonly isolation?: AttemptIsolation | undefined;
  readonly costLimitUsd?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly gate?: number | undefined;
  readonly keepFailed?: boolean | undefined;
  /** Other machines run the attempts: this one needs no sandbox. */
  readonly runsElsewhere?: boolean | undefined;
  /** Includes tasks that `eval check` found unsound. */
  readonly withQuarantined?: boolean | undefined;
  /** Stops planning, which may fetch commits; throws the abort reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface PlannedBatch {
  readonly plan: BatchPlan;
  readonly items: readonly EvalItem[];
  readonly agent: EvalAgent;
}

/**
 * What a batch will do. Items that cannot run are listed with the reason. UNKNOWN_DATASET, UNKNOWN_TASK_ID, NOTHING_TO_RUN,
 * ISOLATION_UNAVAILABLE.
 */
export async function planBatch(context: Context, options: PlanOptions): Promise<PlannedBatch> {
  const isolation = chooseAttemptIsolation(options.isolation, options.parallelism);
  if (!options.runsElsewhere) await requireAttemptSandbox(context, isolation);
  const { items, broken } = await chooseItems(context, options, isolation);
  if (items.length === 0)
    throw carrelError('NOTHING_TO_RUN', { dataset: options.dataset, broken: broken.length });
  const { repositoryRoot, model } = options;
  const isInImage = isolation === 'docker';
  const agent = await resolveEvalAgent(context, options.agent, { repositoryRoot, model, isInImage });
  const plan: BatchPlan = {
    id: createId('run', context.ids),
    dataset: referToDataset(context, options.dataset),
    taskIds: items.map(({ id }) => id),
    labels: Object.fromEntries(items.map(item => [item.id, labelsOf(item)])),
    skipped: broken.map(({ id, reason }) => ({ id, reason })),
    agent: agent.name,
    model: model ?? null,
    isolation,
    parallelism: options.parallelism,
    attemptsPerTask: options.attempts,
    costLimitUsd: options.costLimitUsd ?? null,
    timeoutMs: options.timeoutMs ?? null,
    gate: options.gate ?? null,
    seed: options.filter.seed ?? null,
    keepFailed: options.keepFailed ?? false,
    createdAt: new Date(context.now()).toISOString(),
    environment: await describeEnvironment(context, agent),
  };
  return { plan, items, agent };
}

const labelsOf = ({ language, difficulty, tags }: EvalItem): TaskLabels => ({
  language: language ?? null,
  difficulty: difficulty ?? null,
  tags: [...(tags ?? [])],
});

async function chooseItems(
  context: Context,
  { dataset, filter, withQuarantined, signal }: PlanOptions,
  isolation: AttemptIsolation,
): Promise<Pick<Dataset, 'items' | 'broken'>> {
  const chosen = filterDataset(await loadDataset(context, dataset), filter);
  const { items: ready, broken } = setAsideUnready(context, chosen, isolation);
  const items = await pinBases(context, ready, signal);
  const quarantine = withQuarantined ? undefined : await readQuarantine(context, dataset);
  const checked = items.map(item => ({ item, reason: quarantine?.reasonFor(item) }));
  const unsound = checked.flatMap(({ item, reason }) =>
    reason === undefined ? [] : [{ id: item.id, reason }],
  );
  const sound = checked.filter(({ reason }) => reason === undefined).map(({ item }) => item);
  const { seed } = filter;
  return {
    items: seed === undefined ? sound : shuffle(sound, seed, ({ id }) => id),
    broken: [...broken, ...unsound],
  };
}
