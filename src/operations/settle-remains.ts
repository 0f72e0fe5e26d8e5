import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '../domain/error.js';
import type { Remains } from '../domain/remains.js';
import { listMounts } from '../workspace/mounts.js';
import { isSmallTree, removeLargeTree, removeTree } from '../workspace/remove-tree.js';
import { releaseTemplate, templateOfLayer } from '../workspace/template-place.js';
import type { Context } from './context.js';
import { judgeRemains } from './judge-remains.js';
import { tidyRoot } from './tidy-root.js';

/** Up to here deleting takes some 10 ms, and is over before somebody else could be started for it. */
const SMALL = 1000;

export const isSmall = ({ holds, lower, directory }: Remains): boolean =>
  holds !== 'work' && lower === null && isSmallTree(directory, SMALL);

/**
 * Settles remains that this process owns: nothing is deleted before it is proven or captured, each step can be begun
 * again, and their record goes last. Gives what people should know. When they can't be settled they stay, and their
 * record says so, so that not every command tries again: `carrel gc` does.
 */
export async function settleRemains(context: Context, remains: Remains): Promise<string[]> {
  context.onStep('settle', 'adopted');
  const isDeleted = await orMarkFailed(context, remains, async () => {
    const isOurs = await judgeRemains(context, remains);
    if (isOurs) await deleteFiles(remains);
    return isOurs;
  });
  if (!isDeleted) return [];
  context.onStep('settle', 'deleted');
  return forgetRemains(context, remains);
}

/** The part that a snapshot depends on. False when they became another's meanwhile. */
export const judgeOrMark = (context: Context, remains: Remains): Promise<boolean> =>
  orMarkFailed(context, remains, () => judgeRemains(context, remains));

async function orMarkFailed<T>(context: Context, remains: Remains, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    await context.store.remains.update(remains, { failure }).catch(() => undefined);
    throw error;
  }
}

/** The same for whoever can tell the user: files that are not ours to delete are the user's to deal with then. */
export async function settleBeforeUser(context: Context, remains: Remains): Promise<string[]> {
  try {
    return await settleRemains(context, remains);
  } catch (error) {
    const problem = errnoOf(error);
    const { directory } = remains;
    const isJudged = (await context.store.remains.find(remains.id))?.holds === 'rubbish';
    if (isJudged && ['EACCES', 'EPERM', 'EBUSY', 'EROFS'].includes(problem ?? '')) {
      await forgetRemains(context, remains);
      return [`some files could not be deleted (${problem}); do it with: sudo rm -rf ${directory}`];
    }
    const message = error instanceof Error ? error.message : String(error);
    return [
      `the files of ${remains.workspaceName} are kept at ${directory}: ${message}; try again with: carrel gc --yes`,
    ];
  }
}

/** Never across a mount, whose files are others'. */
async function deleteFiles({ directory }: Remains): Promise<void> {
  const [mounted] = listMounts(directory);
  if (mounted !== undefined) throw Object.assign(new Error(`${mounted} is mounted`), { code: 'EBUSY' });
  if (isSmallTree(directory, SMALL)) await removeTree(directory);
  else await removeLargeTree(directory);
}

async function forgetRemains(context: Context, { id, directory, lower }: Remains): Promise<string[]> {
  const [layer] = lower?.split(':') ?? [];
  if (layer !== undefined) await releaseTemplate(templateOfLayer(layer), id);
  // Most often it is not empty, and nothing depends on it.
  await rmdir(dirname(directory)).catch(() => undefined);
  await tidyRoot(context);
  await context.store.remains.remove(id);
  context.onStep('settle', 'done');
  return [];
}
