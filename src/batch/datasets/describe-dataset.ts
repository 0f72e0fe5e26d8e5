import type { DatasetReport } from '../../domain/eval-report.js';
import type { Context } from '../../operations/context.js';
import { loadDataset } from './load-dataset.js';

/** The tasks of a data set, without what agents must not know. UNKNOWN_DATASET, DATASET_INVALID. */
export async function describeDataset(
  context: Pick<Context, 'cwd'>,
  nameOrPath: string,
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
