import { lstat, readdir, rmdir } from 'node:fs/promises';
import { carrelError, errnoOf, ignoreMissing } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { bindMount, isMounted, unmountOverlay, unmountUnused } from '../../exec/filesystem/overlay-mount.js';
import { makeSharedDirectory } from '../../git/disk/shared-directory.js';
import type { Git } from '../../git/git.js';
import { lockForRemoval } from '../../git/repository/removal-lock.js';
import type { Backend, Removal } from '../backend.js';
import { asideOf } from '../location/aside.js';
import { requireInspected, requireOurs } from '../location/presence.js';
import { removeOverlay } from './create.js';
import { ensureMounted } from './mount.js';
import { findOverlay } from './overlay-place.js';

/**
 * A mount can't be renamed. Instead of the rename of an ordinary worktree, the same mount is bound at the other path and
 * unmounted from the first. The layers stay where they are.
 */
export function createOverlayRemoval(git: Git, worktrees: Backend): Removal {
  const { hasRemains, asideOf: place, unregister, putBack, destroy } = worktrees.removal;
  return {
    hasRemains: async record => (await findOverlay(record)) !== undefined || hasRemains(record),
    asideOf: place,
    setAside: record => setAside(git, worktrees, record),
    putBack: async record => {
      await mountBack(record);
      await putBack(record);
      await ensureMounted(git, record);
    },
    unregister,
    destroy: async record => {
      await unmountOverlay(asideOf(record));
      await removeOverlay(record);
      await destroy(record);
    },
  };
}

async function setAside(git: Git, worktrees: Backend, record: WorkspaceRecord): Promise<void> {
  await ensureMounted(git, record);
  const aside = asideOf(record);
  if (await isEmptied(record)) return unmountFromPath(record);
  if (!isMounted(aside)) {
    const [inspection] = await worktrees.inspect([record], { size: false, presenceOnly: true });
    const { presence } = requireInspected(inspection);
    requireOurs(record, presence);
    if (presence.kind === 'missing') return;
    await lockForRemoval({ commonDir: record.commonDir as string, id: record.id });
    await makeSharedDirectory(aside);
    await bindMount(record.path, aside);
  }
  await unmountFromPath(record);
}

/** A process with an open file would keep writing unseen (a rename would keep the file reachable), so this is refused. */
async function unmountFromPath({ name, path }: WorkspaceRecord): Promise<void> {
  if (isMounted(path) && !(await unmountUnused(path)))
    throw carrelError('WORKSPACE_BUSY', { name, status: 'in use by a process' });
  await removeEmpty(path);
}

async function mountBack(record: WorkspaceRecord): Promise<void> {
  const aside = asideOf(record);
  if (isMounted(aside) && !isMounted(record.path)) {
    await requireEmptyPath(record);
    await bindMount(aside, record.path);
  }
  await unmountOverlay(aside);
  await removeEmpty(aside);
}

/** A watcher may have recreated the directory; when it is not empty, the user must decide: WORKSPACE_REPLACED. */
async function requireEmptyPath(record: WorkspaceRecord): Promise<void> {
  const { name, path } = record;
  await rmdir(path).catch(() => undefined);
  if (await lstat(path).catch(ignoreMissing)) {
    const found = `something new; its files are at ${asideOf(record)}`;
    throw carrelError('WORKSPACE_REPLACED', { name, path, found });
  }
  await makeSharedDirectory(path);
}

/** Anything that is not a directory does not count as gone. */
async function removeEmpty(path: string): Promise<void> {
  await rmdir(path).catch(error => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
}

/** Whether all files were deleted: the directory itself can't be deleted while it is a mount point. */
async function isEmptied({ path }: Pick<WorkspaceRecord, 'path'>): Promise<boolean> {
  if (!isMounted(path)) return false;
  const names = await readdir(path).catch(() => undefined);
  return names?.length === 0;
}
