import { carrelError, isCarrelError } from '../domain/error.js';
import { type BytePath, displayPath } from './byte-path.js';
import type { Git } from './git.js';
import { isIndexLocked, waitForIndexLock } from './index-lock.js';
import { findObstacles } from './obstacles.js';
import { findOperationInProgress } from './operation-in-progress.js';
import { withScratchDirectory } from './scratch-directory.js';
import { listStatusEntries } from './status-entries.js';
import { listTreeChanges, type TreeChange } from './tree-changes.js';
import { listIndexEntries } from './work-tree/index-entries.js';
import type { WorkTreePlace } from './work-tree/place.js';
import { copyIndex } from './work-tree/scratch-index.js';

export interface CheckoutState {
  readonly clean: boolean;
  /** For people: files that differ from the commit, and what else is under way there. */
  readonly dirty: readonly string[];
}

/**
 * Whether index and tracked files of a checkout are those of a commit and nothing is under way. Untracked files don't
 * count here; `findBlockers` looks at those that stand in the way. Writes nothing, the index included.
 */
export async function checkoutState(
  git: Git,
  checkout: WorkTreePlace,
  expected: string,
): Promise<CheckoutState> {
  const operation = await findOperationInProgress(checkout.gitDir);
  const isLocked = !(await waitForIndexLock(checkout.gitDir));
  const staged = await listStaged(git, checkout, expected);
  const unstaged = await listUnstaged(git, checkout);
  const dirty = [
    ...(operation ? [`(a ${operation} in progress)`] : []),
    ...(isLocked ? ['(index.lock: another git is at work)'] : []),
    ...[...new Set([...staged, ...unstaged])].sort().map(displayPath),
  ];
  return { clean: dirty.length === 0, dirty };
}

/** Paths whose index entry is not the commit's. */
export async function listStaged(git: Git, checkout: WorkTreePlace, commit: string): Promise<BytePath[]> {
  return git.records(['diff-index', '--cached', '--name-only', '-z', '--no-renames', commit, '--'], checkout);
}

/** Tracked paths whose file is not the index entry's, and those in conflict. What is inside a submodule is its own. */
export async function listUnstaged(git: Git, checkout: WorkTreePlace): Promise<BytePath[]> {
  const entries = await listStatusEntries(git, checkout, { untracked: false, submodules: 'commits' });
  return entries.filter(entry => entry.isUnstaged || entry.kind === 'conflicted').map(entry => entry.path);
}

export interface CheckoutMove {
  readonly from: string;
  readonly to: string;
}

/**
 * What would be overwritten by moving a clean checkout: untracked and ignored files, and edits that git was told not to
 * look at (assume-unchanged, skip-worktree). Done on a copy of the index; writes nothing in the repository.
 */
export async function findBlockers(
  git: Git,
  checkout: WorkTreePlace,
  move: CheckoutMove,
  temporaryRoot: string,
): Promise<string[]> {
  const changes = await listTreeChanges(git, checkout, move.from, move.to);
  const obstacles = await findObstacles(checkout.workTree, changes);
  if (obstacles.length > 0) return obstacles.map(displayPath);
  const trial = await withScratchDirectory(temporaryRoot, async scratch => {
    // Sparse checkout stays as it is configured: what is outside of it is not written and so not in the way.
    const copy = { ...(await copyIndex(checkout, scratch)), config: ['core.splitIndex=false'] };
    await git.run(['update-index', '-q', '--refresh'], { ...copy, answers: [0, 1] });
    return git.run(readTree(move, '--dry-run'), { ...copy, answers: [0, 128] });
  });
  if (trial.exitCode === 0) return [];
  const hidden = await listHidden(git, checkout, changes);
  if (hidden.length > 0) return hidden.map(displayPath);
  const stderr = trial.stderr.toString('utf8');
  throw carrelError('GIT_FAILED', { command: 'git read-tree', exitCode: trial.exitCode, stderr });
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
 * Brings index and files of a checkout from one commit to another; HEAD and refs are not touched. git checks every file
 * once more and refuses as a whole before it writes the first (GIT_FAILED); call `findBlockers` before.
 */
export async function moveCheckout(git: Git, checkout: WorkTreePlace, move: CheckoutMove): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await waitForIndexLock(checkout.gitDir);
    try {
      // A file that was only touched must not look changed.
      await git.run(['update-index', '-q', '--refresh'], { ...checkout, answers: [0, 1] });
      await git.run(readTree(move), checkout);
      return;
    } catch (error) {
      const isHeld = isCarrelError(error, 'GIT_FAILED') && (await isIndexLocked(checkout.gitDir));
      if (!isHeld || attempt === 3) throw error;
    }
  }
}

function readTree({ from, to }: CheckoutMove, ...flags: string[]): string[] {
  return ['read-tree', '-m', '-u', '--no-recurse-submodules', ...flags, from, to];
}
