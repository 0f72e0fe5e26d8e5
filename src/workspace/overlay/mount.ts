import { lstat, mkdir, readdir, realpath, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { isMounted, mountOverlay, mountOverlayOnce, type OverlayMount } from '../../exec/overlay-mount.js';
import type { Git } from '../../git/git.js';
import { asideOf, isAside } from '../aside.js';
import { ensureWhole } from './ensure-whole.js';
import { describeOverlay, findOverlay, lowerFileOf, overlayOf } from './place.js';

/**
 * Mounts a registered workspace for the first time. Its `.git` moves into the upper layer, so that the directory below
 * the mount is empty: after a restart of the machine nobody takes that for a workspace whose files were all deleted.
 */
export async function mountNew(record: WorkspaceRecord, lower: string): Promise<void> {
  const mount = describeOverlay(record, lower);
  await mkdir(overlayOf(record), { recursive: true });
  await writeFile(lowerFileOf(record), lower);
  await Promise.all([mkdir(mount.upper), mkdir(mount.work)]);
  await rename(join(record.path, '.git'), join(mount.upper, '.git'));
  await mountOverlay(mount);
}

/**
 * Mounts a workspace that is not mounted: after a restart of the machine, or when somebody took it away. Where it was
 * set aside it is mounted there. What stands in the way is left alone. OVERLAY_MOUNT_FAILED.
 */
export async function ensureMounted(git: Git, record: WorkspaceRecord): Promise<void> {
  if (isMounted(record.path) || isMounted(asideOf(record))) return;
  const target = (await isAside(record)) ? asideOf(record) : record.path;
  if ((await findOverlay(record)) === undefined || !(await isFree(target))) return;
  await ensureWhole(git, record);
  await mkdir(target, { recursive: true });
  const mount = (await findOverlay(record, target)) as OverlayMount;
  await mountOnce(mount, join(overlayOf(record), 'lock'));
}

/** The kernel refuses the second of two processes that do this at the same moment, when it is told to. */
async function mountOnce(mount: OverlayMount, lockFile: string): Promise<void> {
  if (!mount.exclusive) return mountOverlayOnce(mount, lockFile);
  try {
    await mountOverlay(mount);
  } catch (error) {
    if (!isMounted(mount.target)) throw error;
  }
}

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
