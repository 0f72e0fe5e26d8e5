import { existsSync } from 'node:fs';
import { realpath, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { carrelError } from '../../domain/error/error.js';
import { unmountOverlay } from '../../exec/filesystem/overlay-mount.js';
import { poolDirectory } from '../../pool/slot/slot-place.js';
import type { Repository } from '../../workspace/backend.js';
import { listMounts } from '../../workspace/files/mounts.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import { templatesOf } from '../../workspace/template/template-place.js';
import { removeSnapshot } from '../capture/remove-snapshot.js';
import type { Context } from '../context.js';
import { describePool } from '../pool/open-pool.js';
import { removePoolFiles } from '../pool/remove-pool.js';
import { removeWithoutSnapshot } from '../removal/remove-without-snapshot.js';
import { removeEmptyRoot } from '../space/workspace-root.js';

/**
 * Removes everything that was made from a repository that a batch created below `own`: workspaces, slots, and their snapshots.
 * The caller has saved what it needs: for an attempt that is its patch. WORKSPACE_BUSY when another process still uses it.
 */
export async function removeRepositoryWorkspaces(
  context: Context,
  directory: string,
  own: string,
): Promise<void> {
  const repository = await findRemainder(context, directory);
  if (!repository) return;
  const repositoryId = repository.id;
  for (const record of await context.store.workspaces.list({ repositoryId }))
    if (record.status === 'ready') await removeWithoutSnapshot(context, record, own);
  await removeSlotsUntilEmpty(context, repository);
  for (const snapshot of await context.store.snapshots.list({ repositoryId }))
    await removeSnapshot(context, snapshot);
  await removeFolders(context, repository);
}

/**
 * A process killed while deleting the repository leaves a partial one, which git does not recognize. Nothing in it is needed, and
 * what was made from it is found through the records. Undefined when there is nothing.
 */
async function findRemainder(
  context: Pick<Context, 'store' | 'backends'>,
  directory: string,
): Promise<Repository | undefined> {
  if (!existsSync(directory)) return undefined;
  const root = await realpath(directory);
  const isHere = ({ repository }: { readonly repository: string }) => repository === root;
  try {
    if (existsSync(join(root, '.git'))) return await context.backends.git.locate(root);
  } catch (error) {
    // They are removed through git, before the repository.
    if ((await context.store.workspaces.list()).some(isHere)) throw error;
    await removeTree(join(root, '.git'));
  }
  const { slots } = await context.store.slots.list();
  const known = [...slots, ...(await context.store.remains.list())].find(isHere);
  if (!known) return undefined;
  const commonDir = known.commonDir ?? join(root, '.git');
  return { id: known.repositoryId, root, commonDir, name: basename(root), linkedWorktree: null };
}

const LIMIT_MS = 60_000;
const POLL_MS = 50;

/**
 * The first command that finds a dead process's pool hands it to a background process: that one may be running now, and is waited
 * for. What it has released in the meantime is removed in the next round.
 */
async function removeSlotsUntilEmpty(context: Context, repository: Repository): Promise<void> {
  const { store, now } = context;
  for (const deadline = now() + LIMIT_MS; ; await delay(POLL_MS)) {
    await removePoolFiles(context, repository);
    const { slots, damaged } = await store.slots.list(repository.id);
    const remains = await store.remains.list(repository.id);
    const inPool = slots.length + damaged.length + remains.length;
    const workspaces = await store.workspaces.list({ repositoryId: repository.id });
    if (inPool + workspaces.length === 0) return;
    if (inPool === 0 || now() > deadline)
      throw carrelError('WORKSPACE_BUSY', { name: repository.root, status: 'in use' });
  }
}

/**
 * Templates, which would never be found once their repository is gone, and the folder of the slots, where a killed process may
 * have been testing overlays.
 */
async function removeFolders(context: Context, repository: Repository): Promise<void> {
  const { root } = await describePool(context, repository, () => undefined);
  const slots = poolDirectory(root, repository.id);
  for (const place of listMounts(slots)) await unmountOverlay(place);
  for (const folder of [slots, templatesOf({ root, repositoryId: repository.id })]) {
    await removeTree(folder);
    await rmdir(dirname(folder)).catch(() => undefined);
  }
  await removeEmptyRoot(context);
}
