import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { git } from '../helpers/repository.js';
import type { Machine } from './machine/machine.js';
import type { Model } from './model/model.js';
import { type EpisodeEnd, runEpisode } from './run/run-episode.js';
import { shrink } from './run/shrink.js';
import { createTally } from './run/tally.js';
import type { NumberedStep, Step } from './steps/step.js';

// What the tester is for is to notice. Here something is done behind everybody's back, and it has to.

// Each is an episode or several, of some ten commands.
vi.setConfig({ testTimeout: 240_000 });

const SHAPE = { vcs: 'git', files: 'checkout', tight: null, isSparse: false } as const;
const PARTS = { bubblewrap: false, overlay: false, jj: false, smallDisks: false };

const number = (steps: readonly Step[]): NumberedStep[] => steps.map((step, at) => ({ ...step, n: at + 1 }));

const SEQUENCE = number([
  { op: 'up', name: 'w1', kind: 'git' },
  { op: 'edit', name: 'w1', edit: 'write', seed: 1 },
  { op: 'edit', name: 'w1', edit: 'ignored', seed: 1 },
  { op: 'snapshot', name: 'w1' },
  { op: 'look', words: ['ls'] },
]);

type Plant = (machine: Machine, model: Model) => void;

/** Lives the sequence, and does it after the step of that number. */
const liveWith = (
  plant: Plant,
  after: number,
  steps: readonly NumberedStep[] = SEQUENCE,
): Promise<EpisodeEnd> =>
  runEpisode({
    ...{ shape: SHAPE, parts: PARTS, steps, tally: createTally() },
    afterStep: (machine, model, n) => {
      if (n === after) plant(machine, model);
    },
  });

const loseByte: Plant = (_, { workspaces }) => {
  for (const { path } of workspaces.values()) writeFileSync(join(path, 'README.md'), 'hell\n');
};

/** Everything that there is for a workspace with both repositories. */
const GROUP = number([
  { op: 'up', name: 'g1', kind: 'git', isGroup: true },
  { op: 'exec', name: 'g1', work: 'write' },
  { op: 'edit', name: 'g1', edit: 'write', seed: 1 },
  { op: 'edit', name: 'g1', edit: 'write', seed: 2 },
  { op: 'snapshot', name: 'g1' },
  { op: 'exec', name: 'g1', work: 'commit' },
  { op: 'down', name: 'g1', discards: false },
  { op: 'down', name: 'g1', discards: true },
  { op: 'restore', from: '5.0', as: null },
  { op: 'reset', name: 'g1', discards: true },
  { op: 'exec', name: 'g1', work: 'commit' },
  { op: 'land', name: 'g1', into: 'other', options: [] },
]);

test('an undisturbed sequence with two repositories shows nothing, and a byte lost in the other one is found', async () => {
  expect(await liveWith(() => {}, 0, GROUP)).toMatchObject({ finding: undefined });
  const loseBeside: Plant = (_, { workspaces }) => {
    for (const { path, place } of workspaces.values())
      if (place === 'beside') writeFileSync(join(path, 'README.md'), 'hell\n');
  };
  const { finding } = await liveWith(loseBeside, 4, GROUP);
  expect(finding?.message).toContain('README.md');
});

test('an undisturbed sequence shows nothing', async () => {
  const { finding, steps } = await liveWith(() => {}, 0);
  expect(finding).toBeUndefined();
  expect(steps).toEqual(SEQUENCE);
});

test('a byte that is missing in a workspace is noticed after the next step', async () => {
  const { finding, steps } = await liveWith(loseByte, 4);
  expect(finding).toMatchObject({ kind: 'loss' });
  expect(finding?.message).toMatch(
    /^the workspace w1 is not as it was left:\n {2}changed: "README.md" is 100644 /,
  );
  expect(steps).toHaveLength(5);
});

test('a snapshot that holds other bytes than it should is noticed when it is restored', async () => {
  const { finding } = await liveWith((_, model) => {
    // As if the workspace had had another file when the snapshot was taken.
    for (const [id, snapshot] of model.snapshots) {
      const holds = snapshot.holds.map(held => ({
        ...held,
        files: { ...held.files, 'lost.txt': '100644 0' },
      }));
      model.snapshots.set(id, { ...snapshot, holds });
    }
  }, 5);
  expect(finding).toMatchObject({ kind: 'loss' });
  expect(finding?.message).toBe(
    'the new workspace checked is not as it should be:\n  missing: "lost.txt" (100644 0)',
  );
});

test('a snapshot that git no longer has is noticed', async () => {
  const { finding } = await liveWith(({ repository }, model) => {
    const [id] = model.snapshots.keys();
    git(repository, 'update-ref', '-d', `refs/carrel/snapshots/${id}`);
  }, 5);
  expect(finding?.message).toContain('SNAPSHOT_BROKEN');
});

test("a change in the user's checkout is noticed", async () => {
  const { finding } = await liveWith(
    ({ repository }) => appendFileSync(join(repository, 'mine.txt'), 'x'),
    4,
  );
  expect(finding).toMatchObject({ kind: 'user' });
});

test('a file that is left in the temporary directory is noticed', async () => {
  const { finding } = await liveWith(({ temporary }) => writeFileSync(join(temporary, 'left'), ''), 4);
  expect(finding?.message).toContain('temporary: left');
});

test('what was found is shrunk to the steps that it takes', async () => {
  const shows = async (steps: readonly NumberedStep[]) =>
    (await liveWith(loseByte, 4, steps)).finding?.kind === 'loss';
  const shortest = await shrink(SEQUENCE, { shows, deadline: Number.POSITIVE_INFINITY });
  expect(shortest.map(({ n }) => n)).toEqual([1, 4, 5]);
});
