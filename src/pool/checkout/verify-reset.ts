import { lstatSync } from 'node:fs';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { type BytePath, displayPath, toFsPath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { inspectPrivateGit, isLinkIntact } from '../slot/private-git-check.js';
import { gitIn, privateGitOf } from '../slot/slot-git.js';
import { slotPlace } from '../slot/slot-place.js';
import { listByGit } from './find-touched.js';

/** What a slot that was reset differs in. */
export interface ResetProblem {
  readonly reason: string;
  /** Files that differ from the commit, or from the index. */
  readonly dirty: readonly BytePath[];
}

/**
 * Verifies everything again, with the index that the next lease starts with: HEAD, the index against the commit,
 * every tracked file against the index, the git directory against what is written, and the places that have to be empty.
 * Null when the slot is clean. Tracked files that are proven to be the commit's are not looked at again.
 */
export async function findProblem(
  git: Git,
  slot: SlotRecord,
  gone: readonly BytePath[],
  areFilesProven = false,
): Promise<ResetProblem | null> {
  const { workTree, pristineIndex } = slotPlace(slot.directory);
  const place = privateGitOf(slot);
  const [dirty, privateGit] = await Promise.all([
    areFilesProven ? [] : listByGit(git, slot),
    inspectPrivateGit(place, pristineIndex),
  ]);
  const left = gone.find(path => lstatSync(toFsPath(workTree, path), { throwIfNoEntry: false }));
  if (dirty[0] !== undefined) {
    const isUnstaged = await isAtCommit(git, slot);
    const count = `${dirty.length} ${dirty.length === 1 ? 'file' : 'files'}`;
    const reason = `cannot restore ${count}, such as ${displayPath(dirty[0])}`;
    return { dirty, reason: isUnstaged ? reason : "the index is not the commit's" };
  }
  if (left !== undefined) return { dirty, reason: `cannot remove ${displayPath(left)}` };
  const isOwn = privateGit.isAsWritten && isLinkIntact(place);
  return isOwn ? null : { dirty, reason: 'the git directory was changed' };
}

/** Whether the index is the commit's. */
export const isAtCommit = (git: Git, slot: SlotRecord): Promise<boolean> =>
  git.succeeds(['diff-index', '--cached', '--quiet', slot.commit], gitIn(slot.directory));
