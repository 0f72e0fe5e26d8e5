import { join } from 'node:path';
import { requireFiles, requireGone } from '../repository/proof.mjs';
import { peerContestants, peerRows } from '../scene/peers.mjs';
import { diskUse } from '../system/disk-use.mjs';
import { toFigures } from '../timing/figure.mjs';
import { interleave } from '../timing/interleave.mjs';
import { acquireContestants, acquireRows } from './acquire.mjs';

const ADD = 'git worktree add';
const ADD_AND_NODE = 'git worktree add + node -e 0';
const REMOVE = 'git worktree remove --force';
const ADD_AND_REMOVE = 'git worktree add + remove';

const rows = [
  { group: 'create', name: ADD_AND_NODE, by: ADD },
  { group: 'create', name: 'carrel up, cold', reference: ADD_AND_NODE },
  { group: 'create', name: ADD },
  { group: 'create', name: 'carrel up, with a spare', reference: ADD },
  ...acquireRows.map(row => ({ ...row, group: 'create', reference: ADD })),
  { group: 'item', name: ADD_AND_REMOVE, by: ADD },
  { group: 'item', name: 'acquire + release, untouched', reference: ADD_AND_REMOVE, by: 'acquire' },
  {
    group: 'item',
    name: 'overlay acquire + release, untouched',
    reference: ADD_AND_REMOVE,
    by: 'overlay acquire',
  },
  { group: 'remove', name: REMOVE, by: ADD },
  { group: 'remove', name: 'carrel down, clean', reference: REMOVE, by: 'carrel up, cold' },
  { group: 'bytes', unit: 'bytes', name: ADD, sample: `bytes: ${ADD}` },
  { group: 'bytes', unit: 'bytes', name: 'carrel up, cold', sample: 'bytes: carrel up', reference: ADD },
  {
    group: 'bytes',
    unit: 'bytes',
    name: 'overlay acquire',
    sample: 'bytes: overlay acquire',
    reference: ADD,
  },
  ...peerRows.map(row => ({ ...row, reference: row.group === 'create' ? ADD : REMOVE })),
];

/** All ways to a workspace and back, in one contest, so that each has the same `git worktree add` beside it. */
export async function measureWorkspace({ size, repeats, cold, spare, pool }) {
  const contestants = [
    plainGit(cold, size),
    carrelCold(cold, size),
    carrelWithSpare(spare, size),
    ...acquireContestants(pool, size),
    ...peerContestants(cold, size),
  ];
  const contest = await interleave(contestants, repeats);
  addSums(contest.samples);
  return toFigures(rows, size, contest);
}

function plainGit(scene, size) {
  const path = join(scene.home, 'plain');
  const turn = async (round, watch) => {
    const before = round === 0 && (await diskUse(scene));
    await watch.time(
      ADD,
      scene.settle,
      () => scene.git('worktree', 'add', '--quiet', '-b', `plain-${round}`, path),
      () => requireFiles(path, size),
    );
    if (round === 0) watch.record(`bytes: ${ADD}`, (await diskUse(scene)) - before);
    await watch.time('node -e 0', scene.settle, () => scene.node('-e', '0'));
    await watch.time(
      REMOVE,
      scene.settle,
      () => scene.git('worktree', 'remove', '--force', path),
      () => requireGone(path),
    );
  };
  return { name: ADD, turn };
}

function carrelCold(scene, size) {
  const turn = async (round, watch) => {
    const name = `cold-${round}`;
    const before = round === 0 && (await diskUse(scene));
    await watch.time('carrel up, cold', scene.settle, () => scene.carrel('up', name));
    const { path } = await scene.askCarrel('path', name);
    requireFiles(path, size);
    if (round === 0) watch.record('bytes: carrel up', (await diskUse(scene)) - before);
    await watch.time(
      'carrel down, clean',
      scene.settle,
      () => scene.carrel('down', name),
      () => requireGone(path),
    );
  };
  return { name: 'carrel up, cold', turn };
}

function carrelWithSpare(scene, size) {
  const turn = async (round, watch) => {
    const name = `spare-${round}`;
    await scene.carrel('pool', 'warm', '1', '--kind', 'checkout');
    await watch.time('carrel up, with a spare', scene.settle, () => scene.carrel('up', name));
    const { path, population } = await scene.askCarrel('show', name);
    requireFiles(path, size);
    if (population?.way !== 'spare') throw new Error(`came by ${population?.way}: ${population?.reason}`);
    await scene.carrel('down', name);
  };
  return { name: 'carrel up, with a spare', turn };
}

/** What git alone would cost, where there is no single command of git's to compare with. */
function addSums(samples) {
  const sum = (a, b) => samples.get(a)?.flatMap((ms, round) => (samples.get(b)?.[round] ?? Number.NaN) + ms);
  for (const [name, a, b] of [
    [ADD_AND_NODE, ADD, 'node -e 0'],
    [ADD_AND_REMOVE, ADD, REMOVE],
  ]) {
    const sums = sum(a, b)?.filter(ms => !Number.isNaN(ms)) ?? [];
    if (sums.length > 0) samples.set(name, sums);
  }
}
