import { lstatSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { allInOrder } from '../../domain/all-in-order.js';
import { carrelError } from '../../domain/error/error.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { isMountOf, replaceOverlay } from '../../exec/filesystem/overlay-mount.js';
import { type BytePath, displayPath } from '../../git/byte-path.js';
import { makeSharedDirectory } from '../../git/disk/shared-directory.js';
import { writeGitDirectory, writeLink } from '../../git/repository/private-git.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import type { OverlayLayers } from '../../workspace/template/overlay-layers.js';
import { copyTemplateIndex } from '../../workspace/template/template-index.js';
import { inspectPrivateGit, isLinkIntact } from '../slot/private-git-check.js';
import { privateGitOf } from '../slot/slot-git.js';
import { slotPlace } from '../slot/slot-place.js';
import { moveCaches } from './overlay-caches.js';
import { sealRoots } from './overlay-slot-layers.js';
import { mountOf, saveState, upperOf } from './overlay-slot-state.js';
import { findForeignEntry, sealFile, sealUpper } from './overlay-upper.js';

/** Caches of a former upper layer, in `from`, that go over to the new one. */
interface InheritedCaches {
  readonly from: string;
  readonly caches: readonly BytePath[];
}

/**
 * Gives a slot a new upper layer and a new git directory and mounts it, in place of the existing mount. The git
 * directory is written while the mount is under way; the upper layer must not change by then.
 */
export async function furnishOverlay(
  slot: SlotRecord,
  layers: OverlayLayers,
  inherited: InheritedCaches = { from: slot.directory, caches: [] },
): Promise<void> {
  const { directory } = slot;
  const { gitDir, workTree } = slotPlace(directory);
  const mount = mountOf(directory, layers);
  const roots = sealRoots(layers);
  saveState(directory, { layers, roots, seal: null, index: null });
  for (const path of [mount.upper, mount.work, workTree]) mkdirSync(path, { recursive: true });
  moveCaches(join(inherited.from, 'upper'), mount.upper, layers, inherited.caches);
  writeLink({ gitDir, workTree: mount.upper });
  await allInOrder([replaceOverlay(mount), placeGit(slot, layers)]);
  const seal = sealUpper(mount.upper, inherited.caches);
  saveState(directory, { layers, roots, seal, index: sealFile(join(gitDir, 'index')) });
}

async function placeGit(slot: SlotRecord, { indexFile }: OverlayLayers): Promise<void> {
  const request = privateGitOf(slot);
  writeGitDirectory(request);
  await copyTemplateIndex(indexFile, join(request.gitDir, 'index'));
}

/**
 * Moves the holder's files out of the slot. What is already in `aside` was moved by an earlier reset that was not
 * handed over; what has taken its place since is removed when nothing was done with it. SLOT_QUARANTINED when something was:
 * `aside` has room for one of each. `work` is moved too: the kernel may still use it.
 */
export async function moveLayersAside(
  slot: SlotRecord,
  aside: string,
  caches: readonly BytePath[] = [],
): Promise<void> {
  const { directory } = slot;
  await requireUnused(slot, aside, caches);
  await makeSharedDirectory(join(aside, 'tree'));
  for (const name of ['upper', 'git', 'work']) {
    const from = join(directory, name);
    if (!isThere(from)) continue;
    if (isThere(join(aside, name))) await removeTree(from);
    else renameSync(from, join(aside, name));
  }
}

async function requireUnused(slot: SlotRecord, aside: string, caches: readonly BytePath[]): Promise<void> {
  const { id, directory } = slot;
  const written = isThere(join(aside, 'upper')) ? findForeignEntry(upperOf(directory), caches) : undefined;
  const isGitUsed =
    isThere(join(aside, 'git')) && (await inspectPrivateGit(privateGitOf(slot), null)).hasWork;
  if (written === undefined && !isGitUsed) return;
  const found = written === undefined ? 'its git directory' : displayPath(written);
  const reason = `${found} was written to after a reset that was not handed over`;
  throw carrelError('SLOT_QUARANTINED', { slot: id, reason });
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Why a slot that was just prepared cannot be handed out. The cost does not depend on the size of the repository. */
export async function findOverlayProblem(
  slot: SlotRecord,
  layers: OverlayLayers,
  caches: readonly BytePath[],
): Promise<string | null> {
  const { directory } = slot;
  if (!isMountOf(mountOf(directory, layers))) return 'it is not mounted correctly';
  const foreign = findForeignEntry(upperOf(directory), caches);
  if (foreign !== undefined) return `its upper layer contains ${foreign}`;
  const git = privateGitOf(slot);
  if (!isLinkIntact(git)) return 'its .git does not point to its git directory';
  const { isAsWritten } = await inspectPrivateGit(git, null);
  return isAsWritten ? null : 'its git directory was changed';
}
