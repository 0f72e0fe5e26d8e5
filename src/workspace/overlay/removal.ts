import { lstat, mkdir, rmdir } from 'node:fs/promises';
import { carrelError, errnoOf, ignoreMissing } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { bindMount, isMounted, unmountOverlay, unmountUnused } from '../../exec/overlay-mount.js';
import type { Git } from '../../git/git.js';
import { lockForRemoval } from '../../git/removal-lock.js';
import { asideOf } from '../aside.js';
import type { Backend, Inspection, Removal } from '../backend.js';
import { requireOurs } from '../presence.js';
import { removeOverlay } from './create.js';
import { ensureMounted } from './mount.js';
import { findOverlay } from './place.js';

/**
 * A mount can't be renamed, so what an ordinary worktree does by a rename is done by showing the same mount at the other
 * place and taking it away from the first. The layers stay where they are.
 */
export function createOverlayRemoval(git: Git, worktrees: Backend): Removal {
  const { hasRemains, asideOf: place, unregister, putBack, destroy } = worktrees.removal;
  return {
    hasRemains: async record => (await findOverlay(record)) !== undefined || hasRemains(record),
    asideOf: place,
    setAside: record => setAside(git, worktrees, record),
    putBack: async record => {
      await showBack(record);
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
  if (!isMounted(aside)) {
    const [look] = await worktrees.inspect([record], { size: false, presenceOnly: true });
    const { presence } = look as Inspection;
    requireOurs(record, presence);
    if (presence.kind === 'missing') return;
    await lockForRemoval({ commonDir: record.commonDir as string, id: record.id });
    await mkdir(aside, { recursive: true });
    await bindMount(record.path, aside);
  }
  await hide(record);
}

/** Who still has a file open would write on unseen; a rename at least leads to them. So it is refused. */
async function hide({ name, path }: WorkspaceRecord): Promise<void> {
  if (isMounted(path) && !(await unmountUnused(path)))
    throw carrelError('WORKSPACE_BUSY', { name, status: 'in use by a process' });
  await removeEmpty(path);
}

async function showBack(record: WorkspaceRecord): Promise<void> {
  const aside = asideOf(record);
  if (isMounted(aside) && !isMounted(record.path)) {
    await requireRoom(record);
    await bindMount(aside, record.path);
  }
  await unmountOverlay(aside);
  await removeEmpty(aside);
}

/** A watcher may have made the directory anew; when it is not empty, somebody has to decide: WORKSPACE_REPLACED. */
async function requireRoom(record: WorkspaceRecord): Promise<void> {
  const { name, path } = record;
  await rmdir(path).catch(() => undefined);
  if (await lstat(path).catch(ignoreMissing)) {
    const found = `something new; its files are at ${asideOf(record)}`;
    throw carrelError('WORKSPACE_REPLACED', { name, path, found });
  }
  await mkdir(path, { recursive: true });
}

/** Something that is no directory does not pass for gone. */
async function removeEmpty(path: string): Promise<void> {
  await rmdir(path).catch(error => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
}
