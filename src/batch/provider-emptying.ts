import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { carrelError } from '../domain/error.js';
import { isSameProcess, type ProcessIdentity } from '../domain/process-identity.js';
import { unmountOverlay } from '../exec/overlay-mount.js';
import { isAlive } from '../exec/process-identity.js';
import type { Context } from '../operations/context.js';
import { discardWorkspace } from '../operations/discard.js';
import { describePool } from '../operations/open-pool.js';
import { drainPool } from '../operations/pool.js';
import { removeSnapshot } from '../operations/remove-snapshot.js';
import { tidyRoot } from '../operations/tidy-root.js';
import { poolDirectory } from '../pool/slot-place.js';
import type { Repository } from '../workspace/backend.js';
import { listMounts } from '../workspace/mounts.js';
import { removeTree } from '../workspace/remove-tree.js';
import { templatesOf } from '../workspace/template-place.js';
import { makeEvalPlaces } from './provider-places.js';

/**
 * Removes everything that was made of a repository of a provider: workspaces, slots, and the snapshots that either left.
 * The caller has what it wants of them: of an attempt that is its patch. WORKSPACE_BUSY when somebody is still at it.
 */
export async function emptyRepository(context: Context, directory: string): Promise<void> {
  if (!existsSync(join(directory, '.git'))) return;
  const repository = await context.backends.git.locate(directory);
  const repositoryId = repository.id;
  const { desks } = await makeEvalPlaces(context);
  for (const record of await context.store.workspaces.list({ repositoryId }))
    if (record.status === 'ready') await discardWorkspace(context, record, desks);
  await drainUntilEmpty(context, repositoryId, directory);
  for (const snapshot of await context.store.snapshots.list({ repositoryId }))
    await removeSnapshot(context, snapshot);
  await removeFolders(context, repository);
}

const LIMIT_MS = 60_000;
const POLL_MS = 50;

/**
 * What a dead process had in its pool is seen to by the first command that finds it, which leaves it to a process in the
 * background: that one may be at it now, and is waited for.
 */
async function drainUntilEmpty(context: Context, repositoryId: string, directory: string): Promise<void> {
  const { store, now } = context;
  for (const deadline = now() + LIMIT_MS; ; await delay(POLL_MS)) {
    const { slots } = await store.slots.list(repositoryId);
    if (slots.length > 0) await drainPool(context, { repository: directory });
    const { slots: left } = await store.slots.list(repositoryId);
    const workspaces = await store.workspaces.list({ repositoryId });
    const remains = await store.remains.list(repositoryId);
    if (left.length + workspaces.length + remains.length === 0) return;
    const isSeenTo = [...left, ...remains].some(({ owner }) => isOfAnother(context, owner));
    if (!isSeenTo || now() > deadline)
      throw carrelError('WORKSPACE_BUSY', { name: directory, status: 'in use' });
  }
}

const isOfAnother = ({ self }: Context, owner: ProcessIdentity | null): boolean =>
  owner !== null && !isSameProcess(owner, self) && isAlive(owner) !== 'dead';

/**
 * Templates, which nobody will look for when their repository is no more, and the folder of the slots, in which somebody
 * who was killed may have been trying out whether overlays can be mounted.
 */
async function removeFolders(context: Context, repository: Repository): Promise<void> {
  const { root } = await describePool(context, repository, () => undefined);
  const slots = poolDirectory(root, repository.id);
  for (const place of listMounts(slots)) await unmountOverlay(place);
  for (const folder of [slots, templatesOf({ root, repositoryId: repository.id })]) {
    await removeTree(folder);
    await rmdir(dirname(folder)).catch(() => undefined);
  }
  await tidyRoot(context);
}
