import type { DatasetReport } from '../../domain/batch/eval-report.js';
import type { Context } from '../../operations/context.js';
import { loadDataset } from './load-dataset.js';

/** The tasks of a dataset, without what agents must not see. UNKNOWN_DATASET, DATASET_INVALID. */
export async function describeDataset(
  context: Pick<Context, 'cwd'>,
  nameOrPath = 'golden',
): Promise<DatasetReport> {
  const { name, format, items, broken } = await loadDataset(context, nameOrPath);
  return {
    name,
    format,
    tasks: items.map(({ id, description, language = null, difficulty = null, tags = [] }) => ({
      ...{ id, description, language, difficulty },
      tags: [...tags],
    })),
    broken: broken.map(({ id, reason }) => ({ id, reason })),
  };
}
