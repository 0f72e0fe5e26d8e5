import { lstat, mkdir, readdir, realpath, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { allInOrder } from '../../domain/all-in-order.js';
import { errnoOf } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import {
  isMounted,
  isRefusedByKernel,
  mountOverlay,
  mountOverlayOnce,
  type OverlayMount,
} from '../../exec/filesystem/overlay-mount.js';
import { makeSharedDirectory } from '../../git/disk/shared-directory.js';
import type { Git } from '../../git/git.js';
import { asideOf, isAside } from '../location/aside.js';
import { ensureLayersIntact } from './ensure-layers.js';
import { describeOverlay, findOverlay, lowerFileOf, overlayOf } from './overlay-place.js';

/**
 * Mounts a registered workspace for the first time. Its `.git` moves into the upper layer, so that the mount point itself
 * is empty: after a reboot it can't be mistaken for a workspace whose files were all deleted.
 */
export async function mountNew(record: WorkspaceRecord, lower: string): Promise<void> {
  const mount = describeOverlay(record, lower);
  await makeSharedDirectory(overlayOf(record));
  await writeFile(lowerFileOf(record), lower);
  await allInOrder([mkdir(mount.upper), mkdir(mount.work)]);
  await rename(join(record.path, '.git'), join(mount.upper, '.git'));
  await mountOverlay(mount);
}

/**
 * Mounts a workspace that is not mounted: after a reboot, or when it was unmounted by the user. A workspace that was set
 * aside is mounted there. Anything in the way is left alone. OVERLAY_MOUNT_FAILED.
 */
export async function ensureMounted(git: Git, record: WorkspaceRecord): Promise<void> {
  if (isMounted(record.path) || isMounted(asideOf(record))) return;
  const target = (await isAside(record)) ? asideOf(record) : record.path;
  if ((await findOverlay(record)) === undefined || !(await isFree(target))) return;
  await ensureLayersIntact(git, record);
  await makeSharedDirectory(target);
  const mount = (await findOverlay(record, target)) as OverlayMount;
  await mountOnce(mount, join(overlayOf(record), 'lock'));
}

/**
 * Of two processes that mount at the same moment the kernel refuses the second, as requested. It also refuses while the
 * last mount of the same layers still exists: after an unmount a process may have a file of it open, and every mount
 * namespace created in the meantime, as sandboxes do, has a copy of it.
 */
async function mountOnce(mount: OverlayMount, lockFile: string): Promise<void> {
  if (!mount.exclusive) return mountOverlayOnce(mount, lockFile);
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await mountOverlay(mount);
    } catch (error) {
      if (isMounted(mount.target)) return;
      if (!isRefusedByKernel(error) || performance.now() > deadline) throw error;
      await wait(PAUSE_MS);
    }
  }
}

/** Short-lived sandboxes such as probes are gone by then; with a longer wait, every command would wait for one that stays. */
const PATIENCE_MS = 3000;
const PAUSE_MS = 50;

/** Nothing, or an empty directory that is reached through no link. */
async function isFree(path: string): Promise<boolean> {
  try {
    if (!(await lstat(path)).isDirectory() || (await realpath(path)) !== path) return false;
    return (await readdir(path)).length === 0;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return (await realpath(dirname(path)).catch(() => dirname(path))) === dirname(path);
  }
}
