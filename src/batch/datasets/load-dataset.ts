import { stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error.js';
import { nearest } from '../../domain/nearest.js';
import type { Context } from '../../operations/context.js';
import type { Dataset } from '../dataset.js';

/** Those that ship with Carrel. */
export const SHIPPED_DATASETS = ['golden'] as const;

/**
 * A data set by its name, or by the path of a file or directory. What is wrong with one item is told in `broken`;
 * UNKNOWN_DATASET when there is no such thing, DATASET_INVALID when nothing of it can be used.
 */
export async function loadDataset(context: Pick<Context, 'cwd'>, nameOrPath: string): Promise<Dataset> {
  // Each format is loaded when it is needed: YAML and zod are not small.
  if (nameOrPath === 'golden') return (await import('./golden/golden.js')).golden;
  const path = resolve(context.cwd, nameOrPath);
  const info = await stat(path).catch(ignoreMissing);
  if (!info)
    throw carrelError('UNKNOWN_DATASET', {
      name: nameOrPath,
      known: SHIPPED_DATASETS,
      nearest: nearest(nameOrPath, SHIPPED_DATASETS),
    });
  const dataset = info.isDirectory() ? await loadDirectory(path) : await loadFile(path);
  return setTwinsAside({ ...dataset, name: dataset.name || basename(path) });
}

/** How records name a data set: a path is absolute, as a batch may be resumed from elsewhere. */
export function referToDataset({ cwd }: Pick<Context, 'cwd'>, nameOrPath: string): string {
  const isShipped = SHIPPED_DATASETS.some(name => name === nameOrPath);
  return isShipped ? nameOrPath : resolve(cwd, nameOrPath);
}

async function loadFile(file: string): Promise<Dataset> {
  const ending = extname(file).toLowerCase();
  if (ending === '.jsonl') return (await import('./swe-bench.js')).loadSweBench(file);
  if (['.yaml', '.yml', '.json'].includes(ending))
    return (await import('./dataset-file.js')).loadDatasetFiles([file]);
  const problem = 'the name has another ending; expected .yaml, .yml, .json, .jsonl or a directory';
  throw carrelError('DATASET_INVALID', { file, problem });
}

async function loadDirectory(directory: string): Promise<Dataset> {
  return (await import('./dataset-directory.js')).loadDatasetDirectory(directory);
}

/** Of two items with one id the first is used: results are kept by id. */
function setTwinsAside(dataset: Dataset): Dataset {
  const first = new Map(dataset.items.toReversed().map(item => [item.id, item]));
  const twins = dataset.items.filter(item => first.get(item.id) !== item);
  if (twins.length === 0) return dataset;
  return {
    ...dataset,
    items: dataset.items.filter(item => first.get(item.id) === item),
    broken: [
      ...dataset.broken,
      ...twins.map(({ id }) => ({ id, reason: 'an item before it has the same id' })),
    ],
  };
}
