import type { AttemptIsolation } from '../domain/attempt.js';
import type { BatchPlan, TaskLabels } from '../domain/batch-run.js';
import { carrelError } from '../domain/error.js';
import type { EvalItem } from '../domain/eval-item.js';
import { createId } from '../domain/id.js';
import type { Context } from '../operations/context.js';
import { type AgentChoice, resolveEvalAgent } from './agents/resolve-eval-agent.js';
import { chooseAttemptIsolation } from './create-provider.js';
import type { Dataset, ItemFilter } from './dataset.js';
import { filterDataset } from './datasets/filter.js';
import { loadDataset, referToDataset } from './datasets/load-dataset.js';
import { setAsideUnready } from './datasets/set-aside-unready.js';
import { shuffle } from './datasets/shuffle.js';
import { describeEnvironment } from './describe-environment.js';
import type { EvalAgent } from './eval-agent.js';
import { pinBases } from './pin-bases.js';
import { readQuarantine } from './quarantine.js';

export interface BatchWishes {
  /** Its name, or the path of a file or directory. */
  readonly dataset: string;
  readonly filter: ItemFilter;
  readonly agent: AgentChoice;
  readonly model?: string | undefined;
  /** Where agents of a repository are looked for; null for the user's own and the presets alone. */
  readonly repositoryRoot: string | null;
  readonly attempts: number;
  readonly parallelism: number;
  /** Chosen by the parallelism when left out. */
  readonly isolation?: AttemptIsolation | undefined;
  readonly costLimitUsd?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly gate?: number | undefined;
  readonly keepFailed?: boolean | undefined;
  /** Also what `eval check` found to be unsound. */
  readonly withQuarantined?: boolean | undefined;
  /** Ends planning, which may have to fetch: what it was aborted with is thrown. */
  readonly signal?: AbortSignal | undefined;
}

export interface PlannedBatch {
  readonly plan: BatchPlan;
  readonly items: readonly EvalItem[];
  readonly agent: EvalAgent;
}

/** What a batch will do. Items that can't run are listed with the reason. UNKNOWN_DATASET, UNKNOWN_TASK_ID, NOTHING_TO_RUN. */
export async function planBatch(context: Context, wishes: BatchWishes): Promise<PlannedBatch> {
  const isolation = chooseAttemptIsolation(wishes.isolation, wishes.parallelism);
  const { items, broken } = await chooseItems(context, wishes, isolation);
  if (items.length === 0)
    throw carrelError('NOTHING_TO_RUN', { dataset: wishes.dataset, broken: broken.length });
  const { repositoryRoot, model } = wishes;
  const isInImage = isolation === 'docker';
  const agent = await resolveEvalAgent(context, wishes.agent, { repositoryRoot, model, isInImage });
  const plan: BatchPlan = {
    id: createId('run', context.ids),
    dataset: referToDataset(context, wishes.dataset),
    taskIds: items.map(({ id }) => id),
    labels: Object.fromEntries(items.map(item => [item.id, labelsOf(item)])),
    skipped: broken.map(({ id, reason }) => ({ id, reason })),
    agent: agent.name,
    model: model ?? null,
    isolation,
    parallelism: wishes.parallelism,
    attemptsPerTask: wishes.attempts,
    costLimitUsd: wishes.costLimitUsd ?? null,
    timeoutMs: wishes.timeoutMs ?? null,
    gate: wishes.gate ?? null,
    seed: wishes.filter.seed ?? null,
    keepFailed: wishes.keepFailed ?? false,
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
  { dataset, filter, withQuarantined, signal }: BatchWishes,
  isolation: AttemptIsolation,
): Promise<Pick<Dataset, 'items' | 'broken'>> {
  const chosen = filterDataset(await loadDataset(context, dataset), filter);
  const { items: ready, broken } = setAsideUnready(context, chosen, isolation);
  const items = await pinBases(context, ready, signal);
  const quarantine = withQuarantined ? undefined : await readQuarantine(context, dataset);
  const judged = items.map(item => ({ item, reason: quarantine?.reasonFor(item) }));
  const unsound = judged.flatMap(({ item, reason }) =>
    reason === undefined ? [] : [{ id: item.id, reason }],
  );
  const sound = judged.filter(({ reason }) => reason === undefined).map(({ item }) => item);
  const { seed } = filter;
  return {
    items: seed === undefined ? sound : shuffle(sound, seed, ({ id }) => id),
    broken: [...broken, ...unsound],
  };
}
