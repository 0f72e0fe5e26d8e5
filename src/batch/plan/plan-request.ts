import type { Context } from '../../operations/context.js';
import type { CheckBatchRequest } from '../check.operation.js';
import type { CheckInput } from '../check-dataset.js';
import type { StartBatchRequest } from '../run/start.operation.js';
import { type PlannedBatch, type PlanOptions, planBatch } from './plan-batch.js';

/** Plans a batch as requested. The agent is the user's usual one when omitted. */
export async function planRequest(
  context: Context,
  request: Omit<StartBatchRequest, 'out'>,
  place: Pick<PlanOptions, 'repositoryRoot' | 'runsElsewhere' | 'signal'>,
): Promise<PlannedBatch> {
  const { attempts = 1, parallelism = 1, model, costLimitUsd, gate, keepFailed, quarantined } = request;
  const agent = request.agent ?? (await context.loadConfig(null)).config.tasks.agent;
  return planBatch(context, {
    ...readDatasetFields(request),
    ...{ agent, model, attempts, parallelism, costLimitUsd, gate, keepFailed },
    withQuarantined: quarantined,
    ...place,
  });
}

/** The check of a dataset as requested. */
export const readCheck = ({ parallelism = 2, repeats = 3, ...request }: CheckBatchRequest): CheckInput => ({
  ...readDatasetFields(request),
  parallelism,
  repeats,
});

function readDatasetFields(
  request: StartBatchRequest | CheckBatchRequest,
): Pick<PlanOptions, 'dataset' | 'filter' | 'isolation' | 'timeoutMs'> {
  const { dataset, taskIds, tags, difficulty, language, sample, shuffle: seed } = request;
  const { isolation, timeoutSeconds: seconds } = request;
  return {
    dataset,
    filter: { taskIds, tags, difficulty, language, sample, seed },
    isolation,
    timeoutMs: seconds === undefined ? undefined : Math.max(1, Math.round(seconds * 1000)),
  };
}
