import { stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import { nearest } from '../../domain/text/nearest-word.js';
import type { Context } from '../../operations/context.js';
import type { Dataset } from './dataset.js';

/** Datasets that ship with Carrel. */
export const SHIPPED_DATASETS = ['golden'] as const;

/**
 * Loads a dataset by name, or by the path of a file or directory. Problems of single items are listed in `broken`;
 * UNKNOWN_DATASET when it does not exist, DATASET_INVALID when nothing in it can be used.
 */
export async function loadDataset(context: Pick<Context, 'cwd'>, nameOrPath: string): Promise<Dataset> {
  // Loads each format on demand: YAML and zod are large.
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

/** The name of a dataset in records: a path is absolute, because a batch may be resumed from another directory. */
export function referToDataset({ cwd }: Pick<Context, 'cwd'>, nameOrPath: string): string {
  const isShipped = SHIPPED_DATASETS.some(name => name === nameOrPath);
  return isShipped ? nameOrPath : resolve(cwd, nameOrPath);
}

async function loadFile(file: string): Promise<Dataset> {
  const ending = extname(file).toLowerCase();
  if (ending === '.jsonl') return (await import('./swe-bench/swe-bench.js')).loadSweBench(file);
  if (['.yaml', '.yml', '.json'].includes(ending))
    return (await import('./dataset-file.js')).loadDatasetFiles([file]);
  const problem = 'unknown file extension; expected .yaml, .yml, .json, .jsonl or a directory';
  throw carrelError('DATASET_INVALID', { file, problem });
}

async function loadDirectory(directory: string): Promise<Dataset> {
  return (await import('./dataset-directory.js')).loadDatasetDirectory(directory);
}

/** The first of two items with the same id is used: results are stored by id. */
function setTwinsAside(dataset: Dataset): Dataset {
  const first = new Map(dataset.items.toReversed().map(item => [item.id, item]));
  const twins = dataset.items.filter(item => first.get(item.id) !== item);
  if (twins.length === 0) return dataset;
  return {
    ...dataset,
    items: dataset.items.filter(item => first.get(item.id) === item),
    broken: [
      ...dataset.broken,
      ...twins.map(({ id }) => ({ id, reason: 'an earlier item has the same id' })),
    ],
  };
}
