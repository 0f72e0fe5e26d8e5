import type { EvalItem } from '../../domain/batch/eval-item.js';
import { carrelError } from '../../domain/error/error.js';
import { nearest } from '../../domain/text/nearest-word.js';
import type { Dataset, ItemFilter } from './dataset.js';
import { shuffle } from './shuffle.js';

/**
 * The dataset with only the requested items. One matching tag is enough. Items selected by id come in that order; a broken one
 * among them stays in `broken`. UNKNOWN_TASK_ID for an id that is in neither.
 */
export function filterDataset(dataset: Dataset, filter: ItemFilter): Dataset {
  const { taskIds, tags, difficulty, language, sample, seed } = filter;
  const named = taskIds?.length ? chooseByIds(dataset, taskIds) : dataset;
  const fitting = named.items.filter(
    item =>
      (!tags?.length || tags.some(tag => item.tags?.includes(tag))) &&
      (difficulty === undefined || item.difficulty === difficulty) &&
      (language === undefined || item.language === language),
  );
  return { ...named, items: sample === undefined ? fitting : chooseSome(fitting, sample, seed ?? '') };
}

function chooseByIds(dataset: Dataset, taskIds: readonly string[]): Dataset {
  const wanted = [...new Set(taskIds)];
  const known = [...dataset.items, ...dataset.broken].map(({ id }) => id);
  const unknown = wanted.find(id => !known.includes(id));
  if (unknown !== undefined)
    throw carrelError('UNKNOWN_TASK_ID', {
      id: unknown,
      dataset: dataset.name,
      known,
      nearest: nearest(unknown, known),
    });
  return {
    ...dataset,
    items: wanted.flatMap(id => dataset.items.filter(item => item.id === id)),
    broken: dataset.broken.filter(({ id }) => wanted.includes(id)),
  };
}

/** In their original order. */
function chooseSome(items: readonly EvalItem[], count: number, seed: string): EvalItem[] {
  const chosen = new Set(shuffle(items, seed, item => item.id).slice(0, count));
  return items.filter(item => chosen.has(item));
}
