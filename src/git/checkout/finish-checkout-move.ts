import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BytePath, toFsPath } from '../byte-path.js';
import { listTreeChanges, type TreeChange, type TreeEntry } from '../diff/tree-changes.js';
import { withScratchDirectory } from '../disk/scratch-directory.js';
import type { Git, GitPlace } from '../git.js';
import { waitForIndexLock } from '../index/index-lock.js';
import { listIndexEntries } from '../index/list-index-entries.js';
import { findOperationInProgress } from '../repository/operation-in-progress.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import {
  type CheckoutMove,
  checkoutState,
  listStaged,
  listUnstaged,
  moveCheckout,
} from './checkout-update.js';

/**
 * Finishes a move that may have been interrupted anywhere: git writes the files first and the index last, so some files
 * may be at `to` while the index is at `from`. When every path is at one of the two, nothing else has changed, and all are
 * moved to `to`. Otherwise the checkout is left alone and the result is false.
 */
export async function finishCheckoutMove(
  git: Git,
  checkout: WorkTreePlace,
  move: CheckoutMove,
  temporaryRoot: string,
): Promise<boolean> {
  if ((await findOperationInProgress(checkout.gitDir)) || !(await waitForIndexLock(checkout.gitDir)))
    return false;
  if ((await checkoutState(git, checkout, move.to)).clean) return true;
  const changes = await listTreeChanges(git, checkout, move.from, move.to);
  if (!(await isIndexBetween(git, checkout, move, changes))) return false;
  const sides = await withScratchDirectory(temporaryRoot, scratch =>
    findSides(git, checkout, changes, scratch),
  );
  if (!sides) return false;
  await writeEntries(git, checkout, sides);
  await moveCheckout(git, checkout, move);
  return true;
}

/** Paths outside the change are the same in both commits, so a user's edit to one of them shows against both. */
async function isIndexBetween(
  git: Git,
  checkout: WorkTreePlace,
  move: CheckoutMove,
  changes: readonly TreeChange[],
) {
  const notFrom = new Set(await listStaged(git, checkout, move.from));
  const isElsewhere = (await listStaged(git, checkout, move.to)).some(path => notFrom.has(path));
  const changed = new Set(changes.map(change => change.path));
  return !isElsewhere && (await listUnstaged(git, checkout)).every(path => changed.has(path));
}

/** The side of the change that a path's file is on: its expected index entry, null for none. */
type Side = readonly [BytePath, TreeEntry | null];

async function findSides(git: Git, checkout: WorkTreePlace, changes: readonly TreeChange[], scratch: string) {
  const atFrom = await findMatches(git, checkout, changes, 'before', scratch);
  const atTo = await findMatches(git, checkout, changes, 'after', scratch);
  const open = changes.filter(({ path }) => !atFrom.has(path) && !atTo.has(path));
  const skipped = open.length > 0 ? await listSkipped(git, checkout) : new Set<BytePath>();
  if (open.some(({ path }) => !skipped.has(path))) return undefined;
  return changes
    .filter(({ path }) => !skipped.has(path))
    .map(({ path, before, after }): Side => [path, atTo.has(path) ? after : before]);
}

/** A path that a sparse checkout leaves out has no file on either side. */
async function listSkipped(git: Git, checkout: WorkTreePlace): Promise<Set<BytePath>> {
  const entries = await listIndexEntries(git, checkout);
  return new Set(entries.filter(entry => entry.skipWorktree).map(entry => entry.path));
}

/** Paths whose file matches this side of the change, compared by git with an index of only those entries. */
async function findMatches(
  git: Git,
  checkout: WorkTreePlace,
  changes: readonly TreeChange[],
  side: 'before' | 'after',
  scratch: string,
): Promise<Set<BytePath>> {
  const copy = { ...checkout, indexFile: join(scratch, `index-${side}`) };
  await writeEntries(
    git,
    copy,
    changes.filter(change => change[side]).map(change => [change.path, change[side]]),
  );
  await git.run(['update-index', '-q', '--refresh'], { ...copy, answers: [0, 1] });
  const different = new Set(
    await git.records(['diff-files', '--name-only', '-z', '--ignore-submodules=dirty'], copy),
  );
  const matches = new Set<BytePath>();
  for (const change of changes) {
    const isMatch = change[side]
      ? !different.has(change.path)
      : !(await isThere(checkout.workTree, change.path));
    if (isMatch) matches.add(change.path);
  }
  return matches;
}

/** Removed entries come first: a file can't be added while its path is still a directory in the index. */
async function writeEntries(git: Git, place: GitPlace, sides: readonly Side[]): Promise<void> {
  const gone = sides.flatMap(([path, entry]) => (entry ? [] : [`${path}\0`]));
  const here = sides.flatMap(([path, entry]) => (entry ? [`${entry.mode} ${entry.id}\t${path}\0`] : []));
  await updateIndex(git, place, ['--force-remove', '-z', '--stdin'], gone);
  await updateIndex(git, place, ['-z', '--index-info'], here);
}

async function updateIndex(git: Git, place: GitPlace, flags: readonly string[], records: readonly string[]) {
  if (records.length === 0) return;
  await git.run(['update-index', ...flags], { ...place, stdin: Buffer.from(records.join(''), 'latin1') });
}

/** A directory where a file was is not that file: the path is a directory on the other side. */
async function isThere(workTree: string, path: BytePath): Promise<boolean> {
  const stat = await lstat(toFsPath(workTree, path)).catch(() => undefined);
  return stat !== undefined && !stat.isDirectory();
}
