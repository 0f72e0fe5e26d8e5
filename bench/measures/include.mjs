import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ignoredPathOf } from '../repository/ignored-tree.mjs';
import { requireGone } from '../repository/proof.mjs';
import { repositorySizes } from '../repository/repository-sizes.mjs';
import { toFigures } from '../timing/figure.mjs';
import { interleave } from '../timing/interleave.mjs';

const PLAIN = 'git worktree add && cp -a node_modules';
const UP = 'carrel up, node_modules brought along';
const REMOVE = 'git worktree remove --force, with node_modules';
const DOWN = 'carrel down, with node_modules';

const rows = [
  { group: 'include', name: PLAIN },
  { group: 'include', name: UP, reference: PLAIN },
  { group: 'include', name: REMOVE, by: PLAIN },
  { group: 'include', name: DOWN, reference: REMOVE, by: UP },
];

/** A workspace that has an ignored tree of 40,000 files from its beginning. */
export async function measureInclude({ size, repeats, including }) {
  const contest = await interleave([plainGit(including, size), carrel(including, size)], repeats);
  return toFigures(rows, size, contest);
}

function plainGit(scene, size) {
  const path = join(scene.home, 'plain');
  const turn = async (round, watch) => {
    await watch.time(
      PLAIN,
      scene.settle,
      async () => {
        await scene.git('worktree', 'add', '--quiet', '-b', `plain-${round}`, path);
        await scene.run('cp', '-a', join(scene.repository.directory, 'node_modules'), path);
      },
      () => requireIgnoredTree(path, size),
    );
    const remove = () => scene.git('worktree', 'remove', '--force', path);
    await watch.time(REMOVE, scene.settle, remove, () => requireGone(path));
  };
  return { name: PLAIN, turn };
}

function carrel(scene, size) {
  const turn = async (round, watch) => {
    const name = `include-${round}`;
    await watch.time(UP, scene.settle, () => scene.carrel('up', name));
    const { path } = await scene.askCarrel('path', name);
    requireIgnoredTree(path, size);
    await watch.time(
      DOWN,
      scene.settle,
      () => scene.carrel('down', name),
      () => requireGone(path),
    );
  };
  return { name: UP, turn };
}

function requireIgnoredTree(path, size) {
  const last = join(path, ignoredPathOf(repositorySizes[size].ignoredFiles - 1));
  if (!existsSync(last)) throw new Error(`${last} is missing`);
}
