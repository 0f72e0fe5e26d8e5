import { lstatSync } from 'node:fs';
import type { SlotRecord } from '../domain/slot.js';
import { type BytePath, displayPath, toFsPath } from '../git/byte-path.js';
import type { Git } from '../git/git.js';
import { listByGit } from './find-touched.js';
import { inspectPrivateGit, isLinkIntact } from './private-git-check.js';
import { gitIn, privateGitOf } from './slot-git.js';
import { slotPlace } from './slot-place.js';

/**
 * Looks at everything once more, through the index that the next lease begins with: HEAD, the index against the commit,
 * every tracked file against the index, the git directory against what is written, and the places that have to be empty.
 * Null when the slot is clean.
 */
export async function findProblem(
  git: Git,
  slot: SlotRecord,
  gone: readonly BytePath[],
): Promise<string | null> {
  const { workTree, pristineIndex } = slotPlace(slot.directory);
  const place = privateGitOf(slot);
  const [dirty, isUnstaged, privateGit] = await Promise.all([
    listByGit(git, slot),
    isAtCommit(git, slot),
    inspectPrivateGit(place, pristineIndex),
  ]);
  const left = gone.find(path => lstatSync(toFsPath(workTree, path), { throwIfNoEntry: false }));
  if (dirty[0] !== undefined)
    return `${dirty.length} file(s) do not come back, such as ${displayPath(dirty[0])}`;
  if (left !== undefined) return `${displayPath(left)} does not go`;
  if (!isUnstaged) return "the index is not the commit's";
  const isOwn = privateGit.isAsWritten && isLinkIntact(place);
  return isOwn ? null : 'the git directory is not as it was written';
}

/** Whether the index is the commit's. */
export const isAtCommit = (git: Git, slot: SlotRecord): Promise<boolean> =>
  git.succeeds(['diff-index', '--cached', '--quiet', slot.commit], gitIn(slot.directory));
