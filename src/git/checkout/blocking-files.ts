import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { ignoreMissing } from '../../domain/error/error.js';
import { type BytePath, toFsPath } from '../byte-path.js';
import type { TreeChange } from '../diff/tree-changes.js';
import { GITLINK_MODE } from '../index/list-index-entries.js';

/**
 * Files in a work tree that git does not track and that `changes` would overwrite. `read-tree -u` itself
 * refuses to overwrite untracked files, but from git 2.34 on it overwrites ignored ones, such as an `.env`.
 */
export async function findObstacles(workTree: string, changes: readonly TreeChange[]): Promise<BytePath[]> {
  const leaving = new Set(
    changes.filter(change => change.before && !change.after).map(change => change.path),
  );
  const arriving = changes.filter(change => change.after && (!change.before || becomesFile(change)));
  const found = new Set<BytePath>();
  for (const change of arriving) {
    for (const obstacle of await findObstaclesAt(workTree, change, leaving)) found.add(obstacle);
  }
  return [...found];
}

/** git does not remove the directory of a submodule. */
const becomesFile = (change: TreeChange): boolean =>
  change.before?.mode === GITLINK_MODE && change.after?.mode !== GITLINK_MODE;

async function findObstaclesAt(workTree: string, change: TreeChange, leaving: ReadonlySet<BytePath>) {
  for (const parent of parentsOf(change.path)) {
    const stat = await statIfThere(workTree, parent);
    if (!stat) return [];
    if (!stat.isDirectory()) return leaving.has(parent) ? [] : [parent];
  }
  const stat = await statIfThere(workTree, change.path);
  if (!stat) return [];
  if (!stat.isDirectory()) return [change.path];
  if (change.after?.mode === GITLINK_MODE) return [];
  return listFilesBesides(workTree, change.path, leaving);
}

/** `a/b/c` gives `a`, `a/b`. */
function parentsOf(path: BytePath): BytePath[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Everything in a directory that the change does not remove; empty directories don't count. */
async function listFilesBesides(
  workTree: string,
  directory: BytePath,
  leaving: ReadonlySet<BytePath>,
): Promise<BytePath[]> {
  const entries = await readdir(toFsPath(workTree, directory), { withFileTypes: true, encoding: 'buffer' });
  const nested = entries.map(async entry => {
    const path = `${directory}/${entry.name.toString('latin1')}`;
    if (entry.isDirectory()) return listFilesBesides(workTree, path, leaving);
    return leaving.has(path) ? [] : [path];
  });
  return (await Promise.all(nested)).flat();
}

async function statIfThere(workTree: string, path: BytePath): Promise<Stats | undefined> {
  return lstat(toFsPath(workTree, path)).catch(ignoreMissing);
}
