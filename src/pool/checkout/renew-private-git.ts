import { lstatSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { writePrivateGit } from '../../git/repository/private-git.js';
import { inspectPrivateGit, isLinkIntact } from '../slot/private-git-check.js';
import { privateGitOf } from '../slot/slot-git.js';
import { slotPlace } from '../slot/slot-place.js';
import { placeForSecondCopy } from './free-aside-path.js';

export interface RenewedGit {
  readonly isRenewed: boolean;
  /** Something that a snapshot should hold was done in the old one, beyond its index. */
  readonly hadWork: boolean;
  /** The index that the lease left, where it is now; null when it is the pristine one or gone. */
  readonly index: string | null;
}

/**
 * Makes sure that refs, stash, configuration, hooks and the rest of the git directory are new. The old one is moved to
 * `aside/git` when anything was done in it; a `.git` that was replaced is moved to `aside/tree/.git.replaced`.
 */
export async function renewPrivateGit(slot: SlotRecord, aside: string): Promise<RenewedGit> {
  const request = privateGitOf(slot);
  const { pristineIndex } = slotPlace(slot.directory);
  const isLinked = isLinkIntact(request);
  const { isAsWritten, hasWork } = await inspectPrivateGit(request, pristineIndex);
  if (isAsWritten && isLinked) return { isRenewed: false, hadWork: false, index: null };
  mkdirSync(aside, { recursive: true });
  const isReplaced = !isLinked && moveLink(request.workTree, aside);
  await replacePrivateGit(slot, aside);
  const index = join(aside, 'git', 'index');
  return { isRenewed: true, hadWork: hasWork || isReplaced, index: exists(index) ? index : null };
}

/** Moves the git directory to `aside/git`, so that it can be captured, and writes a new one. */
export async function replacePrivateGit(slot: SlotRecord, aside: string): Promise<void> {
  const request = privateGitOf(slot);
  const target = join(aside, 'git');
  mkdirSync(aside, { recursive: true });
  if (exists(request.gitDir))
    moveTo(request.gitDir, exists(target) ? join(placeForSecondCopy(aside), 'git') : target);
  await writePrivateGit(request);
}

/** Whether there was one: a repository in place of the link contains work. */
function moveLink(workTree: string, aside: string): boolean {
  const link = join(workTree, '.git');
  const target = join(aside, 'tree', '.git.replaced');
  if (!exists(link)) return false;
  moveTo(link, exists(target) ? join(placeForSecondCopy(aside), '.git.replaced') : target);
  return true;
}

function moveTo(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
