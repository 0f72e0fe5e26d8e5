import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../domain/error/error.js';
import type { Remains } from '../../domain/snapshot/remains.js';
import { findMount } from '../../exec/filesystem/mount-table.js';
import { unmountOverlay } from '../../exec/filesystem/overlay-mount.js';
import { listMounts } from '../../workspace/files/mounts.js';
import { isSmallTree, removeLargeTree, removeTree } from '../../workspace/files/remove-tree.js';
import { releaseTemplate, templateOfLayer } from '../../workspace/template/template-place.js';
import type { Context } from '../context.js';
import { removeEmptyRoot } from '../space/workspace-root.js';
import { verifyRemains } from './verify-remains.js';

/** Up to this size deleting takes some 10 ms, less than starting another process. */
const SMALL = 1000;

export const isSmall = ({ holds, lower, directory }: Remains): boolean =>
  holds !== 'work' && lower === null && isSmallTree(directory, SMALL);

/**
 * Handles remains that this process owns: nothing is deleted before it is verified or captured, each step can be repeated, and their
 * record is deleted last. Returns messages. When it fails they stay, and their record says so, so that not every command retries:
 * `carrel gc` does.
 */
export async function removeRemains(context: Context, remains: Remains): Promise<string[]> {
  context.onStep('settle', 'adopted');
  const isDeleted = await orMarkFailed(context, remains, async () => {
    const isOurs = await verifyRemains(context, remains);
    if (isOurs) await deleteFiles(remains);
    return isOurs;
  });
  if (!isDeleted) return [];
  context.onStep('settle', 'deleted');
  return removeRemainsRecord(context, remains);
}

/** The part that a snapshot depends on. False when another process has taken them over. */
export const verifyOrMark = (context: Context, remains: Remains): Promise<boolean> =>
  orMarkFailed(context, remains, () => verifyRemains(context, remains));

async function orMarkFailed<T>(
  context: Pick<Context, 'store'>,
  remains: Remains,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    await context.store.remains.update(remains, { failure }).catch(() => undefined);
    throw error;
  }
}

/** The same for callers with a user: files that we can't delete are reported to the user. */
export async function removeNow(context: Context, remains: Remains): Promise<string[]> {
  try {
    return await removeRemains(context, remains);
  } catch (error) {
    const problem = errnoOf(error);
    const { directory } = remains;
    const isGraded = (await context.store.remains.find(remains.id))?.holds === 'rubbish';
    if (isGraded && ['EACCES', 'EPERM', 'EBUSY', 'EROFS'].includes(problem ?? '')) {
      await removeRemainsRecord(context, remains);
      return [`some files could not be deleted (${problem}); delete them with: sudo rm -rf ${directory}`];
    }
    const message = error instanceof Error ? error.message : String(error);
    return [
      `the files of ${remains.workspaceName} are kept at ${directory}: ${message}; retry with: carrel gc --yes`,
    ];
  }
}

/**
 * Never across a mount, whose files are not ours. An overlay mounted on the files themselves is ours: a process that
 * was killed may have left a mount(8) behind that did its work only when the slot had been moved here.
 */
async function deleteFiles({ directory }: Remains): Promise<void> {
  const tree = join(directory, 'tree');
  if (findMount(tree)?.type === 'overlay') await unmountOverlay(tree);
  const [mounted] = listMounts(directory);
  if (mounted !== undefined) throw Object.assign(new Error(`${mounted} is mounted`), { code: 'EBUSY' });
  if (isSmallTree(directory, SMALL)) await removeTree(directory);
  else await removeLargeTree(directory);
}

async function removeRemainsRecord(
  context: Pick<Context, 'store' | 'places' | 'onStep'>,
  { id, directory, lower }: Remains,
): Promise<string[]> {
  const [layer] = lower?.split(':') ?? [];
  if (layer !== undefined) await releaseTemplate(templateOfLayer(layer), id);
  // Usually it is not empty, and nothing depends on it.
  await rmdir(dirname(directory)).catch(() => undefined);
  await removeEmptyRoot(context);
  await context.store.remains.remove(id);
  context.onStep('settle', 'done');
  return [];
}
