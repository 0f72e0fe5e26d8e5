import { expect, test } from 'vitest';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import type { Dataset } from './dataset.js';
import { setAsideUnready } from './exclude-unready.js';
import { filterDataset } from './filter-dataset.js';
import { shuffle } from './shuffle.js';

const item = (id: string, rest: Partial<EvalItem> = {}): EvalItem => ({
  id,
  description: id,
  base: { kind: 'files', files: {} },
  graders: [{ kind: 'command', run: 'true' }],
  ...rest,
});

const dataset: Dataset = {
  name: 'sample',
  format: 'carrel',
  items: [
    item('fix-one', { tags: ['fix', 'quick'], difficulty: 'easy', language: 'python' }),
    item('fix-two', { tags: ['fix'], difficulty: 'hard', language: 'python' }),
    item('add-one', { tags: ['quick'], difficulty: 'easy' }),
    item('add-two'),
  ],
  broken: [{ id: 'odd', reason: 'it is odd' }],
};

const idsOf = ({ items }: Dataset): string[] => items.map(({ id }) => id);

test('selects items by id in the requested order, and by tag, difficulty and language', () => {
  const chosen = filterDataset(dataset, { taskIds: ['add-one', 'odd', 'fix-one', 'add-one'] });
  expect(idsOf(chosen)).toEqual(['add-one', 'fix-one']);
  expect(chosen.broken).toEqual(dataset.broken);
  expect(filterDataset(dataset, { taskIds: ['fix-one'] }).broken).toEqual([]);
  expect(idsOf(filterDataset(dataset, { tags: ['fix', 'quick'] }))).toEqual([
    'fix-one',
    'fix-two',
    'add-one',
  ]);
  expect(idsOf(filterDataset(dataset, { difficulty: 'easy' }))).toEqual(['fix-one', 'add-one']);
  expect(idsOf(filterDataset(dataset, { language: 'python', difficulty: 'hard' }))).toEqual(['fix-two']);
});

test('refuses an unknown id and suggests the closest one', () => {
  expect(() => filterDataset(dataset, { taskIds: ['fix-one', 'fix-too'] })).toThrowError(
    expect.objectContaining({ code: 'UNKNOWN_TASK_ID', hint: 'did you mean fix-two?' }),
  );
});

test('the sample and the order depend only on the seed', () => {
  const many = { ...dataset, items: Array.from({ length: 50 }, (_, index) => item(`item-${index}`)) };
  const sample = idsOf(filterDataset(many, { sample: 5, seed: 'a' }));
  expect(sample).toHaveLength(5);
  expect(idsOf(filterDataset(many, { sample: 5, seed: 'a' }))).toEqual(sample);
  expect(idsOf(filterDataset(many, { sample: 5, seed: 'b' }))).not.toEqual(sample);
  expect(idsOf(filterDataset(many, { sample: 99 }))).toEqual(idsOf(many));
  expect(shuffle(['a', 'b', 'c', 'd', 'e'], 'seed', word => word)).toMatchInlineSnapshot(`
    [
      "a",
      "e",
      "d",
      "c",
      "b",
    ]
  `);
});

test('items that need another isolation or a missing program are excluded with the reason', () => {
  const needy = {
    ...dataset,
    items: [
      item('boxed', { isolation: ['docker'] }),
      item('shell', { requires: ['sh'] }),
      item('rare', { requires: ['sh', 'carrel-has-no-such-program'] }),
      item('rare-in-image', {
        requires: ['carrel-has-no-such-program'],
        image: 'rare:1',
        isolation: ['docker'],
      }),
    ],
  };
  const environment = { PATH: '/usr/bin:/bin' };
  const here = setAsideUnready({ environment }, needy, 'worktree');
  expect(idsOf(here)).toEqual(['shell']);
  expect(here.broken).toEqual([
    ...dataset.broken,
    { id: 'boxed', reason: 'it cannot run with --isolation worktree, only with docker' },
    { id: 'rare', reason: 'it needs carrel-has-no-such-program, which is not in PATH' },
    { id: 'rare-in-image', reason: 'it cannot run with --isolation worktree, only with docker' },
  ]);
  const inContainers = setAsideUnready({ environment }, needy, 'docker');
  expect(idsOf(inContainers)).toEqual(['boxed', 'shell', 'rare-in-image']);
  expect(inContainers.broken.at(-1)?.reason).toContain('the task names no image');
});
