import { join } from 'node:path';
import { carrelError, isCarrelError } from '../../domain/error/error.js';
import { type BytePath, displayPath } from '../byte-path.js';
import { listTreeChanges, type TreeChange } from '../diff/tree-changes.js';
import { withScratchDirectory } from '../disk/scratch-directory.js';
import type { Git } from '../git.js';
import { isFresh } from '../index/confirmed-index.js';
import { isOrdinaryEntry } from '../index/git-index-entries.js';
import { isIndexLocked, waitForIndexLock } from '../index/index-lock.js';
import { GITLINK_MODE, listIndexEntries } from '../index/list-index-entries.js';
import { copyIndex, untouchedCopyOf } from '../index/scratch-index.js';
import { clearDoubtfulStats, clearStats, findDoubtful, loadAnyIndex } from '../index/unseen-edits.js';
import { findOperationInProgress } from '../repository/operation-in-progress.js';
import { readTrackedStatus, type StatusEntry } from '../work-tree/status-entries.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import { findObstacles } from './blocking-files.js';

export interface CheckoutState {
  readonly clean: boolean;
  /** For messages: files that differ from the commit, and operations in progress. */
  readonly dirty: readonly string[];
}

/**
 * Whether index and tracked files of a checkout match a commit and no operation is in progress. Untracked files don't
 * count here; `findBlockers` checks those that would be overwritten. Writes nothing, not even the index.
 */
export async function checkoutState(
  git: Git,
  checkout: WorkTreePlace,
  expected: string,
): Promise<CheckoutState> {
  const operation = await findOperationInProgress(checkout.gitDir);
  const isLocked = !(await waitForIndexLock(checkout.gitDir));
  const { head, entries } = await readTrackedStatus(git, checkout);
  const staged =
    head === expected
      ? entries.filter(({ isStaged }) => isStaged).map(({ path }) => path)
      : await listStaged(git, checkout, expected);
  const unstaged = selectUnstaged(entries);
  const dirty = [
    ...(operation ? [`(a ${operation} in progress)`] : []),
    ...(isLocked ? ['(index.lock: another git process is running)'] : []),
    ...[...new Set([...staged, ...unstaged])].sort().map(displayPath),
  ];
  return { clean: dirty.length === 0, dirty };
}

/** Paths whose index entry is not the commit's. */
export async function listStaged(git: Git, checkout: WorkTreePlace, commit: string): Promise<BytePath[]> {
  return git.records(['diff-index', '--cached', '--name-only', '-z', '--no-renames', commit, '--'], checkout);
}

/** Tracked paths whose file is not the index entry's, and those in conflict. Submodules are not entered. */
export async function listUnstaged(git: Git, checkout: WorkTreePlace): Promise<BytePath[]> {
  return selectUnstaged((await readTrackedStatus(git, checkout)).entries);
}

const selectUnstaged = (entries: readonly StatusEntry[]): BytePath[] =>
  entries.filter(entry => entry.isUnstaged || entry.kind === 'conflicted').map(entry => entry.path);

export interface CheckoutMove {
  readonly from: string;
  readonly to: string;
}

/**
 * What moving a clean checkout would overwrite: untracked and ignored files, and edits that git is set to ignore
 * (assume-unchanged, skip-worktree). Works on a copy of the index; writes nothing in the repository. `changes` are those
 * between the two commits, if they are known.
 */
export async function findBlockers(
  git: Git,
  checkout: WorkTreePlace,
  move: CheckoutMove,
  temporaryRoot: string,
  known?: readonly TreeChange[],
): Promise<string[]> {
  const changes = known ?? (await listTreeChanges(git, checkout, move.from, move.to));
  const obstacles = await findObstacles(checkout.workTree, changes);
  if (obstacles.length > 0) return obstacles.map(displayPath);
  if (isPlainMove(checkout, changes)) return [];
  const trial = await withScratchDirectory(temporaryRoot, async scratch => {
    // Sparse checkout stays as configured: files outside it are not written, so they can't be overwritten.
    const copy = { ...(await copyIndex(checkout, scratch)), config: ['core.splitIndex=false'] };
    await clearDoubtfulStats(git, copy, untouchedCopyOf(copy.indexFile));
    await git.run(['update-index', '-q', '--refresh'], { ...copy, answers: [0, 1] });
    return git.run(readTree(move, '--dry-run'), { ...copy, answers: [0, 128] });
  });
  if (trial.exitCode === 0) return [];
  const hidden = await listHidden(git, checkout, changes);
  if (hidden.length > 0) return hidden.map(displayPath);
  const stderr = trial.stderr.toString('utf8');
  throw carrelError('GIT_FAILED', { command: 'git read-tree', exitCode: trial.exitCode, stderr });
}

/**
 * Every file is that of its entry, none is hidden in the index, and no submodule comes or goes: then there is nothing that git
 * could refuse, and it need not be tried.
 */
function isPlainMove({ gitDir, workTree }: WorkTreePlace, changes: readonly TreeChange[]): boolean {
  if (changes.some(({ before, after }) => [before?.mode, after?.mode].includes(GITLINK_MODE))) return false;
  const index = loadAnyIndex(join(gitDir, 'index'));
  if ('unusable' in index || !index.offsets.every((_, entry) => isOrdinaryEntry(index, entry))) return false;
  return isFresh(index, workTree);
}

async function listHidden(
  git: Git,
  checkout: WorkTreePlace,
  changes: readonly TreeChange[],
): Promise<BytePath[]> {
  const changed = new Set(changes.map(change => change.path));
  const entries = await listIndexEntries(git, checkout);
  return entries
    .filter(entry => (entry.assumeUnchanged || entry.skipWorktree) && changed.has(entry.path))
    .map(entry => entry.path);
}

/**
 * Moves index and files of a checkout from one commit to another; HEAD and refs are not touched. git checks every file
 * once more and refuses as a whole before it writes the first (GIT_FAILED); call `findBlockers` before.
 */
export async function moveCheckout(git: Git, checkout: WorkTreePlace, move: CheckoutMove): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await waitForIndexLock(checkout.gitDir);
    try {
      await refreshIndex(git, checkout);
      await git.run(readTree(move), checkout);
      return;
    } catch (error) {
      const isHeld = isCarrelError(error, 'GIT_FAILED') && (await isIndexLocked(checkout.gitDir));
      if (!isHeld || attempt === 3) throw error;
    }
  }
}

/** A file that was only touched must not look changed, and one that was edited without a trace must. */
async function refreshIndex(git: Git, checkout: WorkTreePlace): Promise<void> {
  const index = loadAnyIndex(join(checkout.gitDir, 'index'));
  if (!('unusable' in index) && isFresh(index, checkout.workTree)) return;
  await clearStats(git, checkout, await findDoubtful(git, checkout));
  await git.run(['update-index', '-q', '--refresh'], { ...checkout, answers: [0, 1] });
}

function readTree({ from, to }: CheckoutMove, ...flags: string[]): string[] {
  return ['read-tree', '-m', '-u', '--no-recurse-submodules', ...flags, from, to];
}
