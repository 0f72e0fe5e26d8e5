import { rmdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { createCheckoutSlotFiles } from '../pool/checkout-slot-files.js';
import { createWorkspacePool } from '../pool/create-workspace-pool.js';
import { createOverlaySlotFiles } from '../pool/overlay-slot-files.js';
import type { PoolDependencies } from '../pool/pool-dependencies.js';
import { isAbandoned, settlePool } from '../pool/settle-pool.js';
import { poolDirectory } from '../pool/slot-place.js';
import type { WorkspacePool } from '../pool/workspace-pool.js';
import type { Repository } from '../workspace/backend.js';
import { resolveRoot } from '../workspace/folder.js';
import { createOverlayProbe, type FindOverlayObstacle } from '../workspace/overlay-obstacle.js';
import { evictTemplates } from '../workspace/template-eviction.js';
import { templatesOf } from '../workspace/template-place.js';
import type { Context } from './context.js';
import { type RemainsKeeper, settleAtEnd, settleMeanwhile } from './own-remains.js';
import { requireRoomForSlot, rootOf } from './require-room.js';
import { applyTemplate } from './settings.js';
import { tidyRoot } from './tidy-root.js';

export interface OpenPool {
  readonly pool: WorkspacePool;
  /** Most slots. */
  readonly cap: number;
  /** The directory of all workspaces; a real path. */
  readonly root: string;
  /** LIMIT_REACHED when the disk forbids one more slot. */
  readonly requireRoom: () => Promise<void>;
  /** Sees to what was moved out of slots. Idempotent, and to be awaited before the store is closed. */
  close(): Promise<void>;
}

/**
 * What is moved out of slots is captured and deleted by this process while it goes on. For those that go on for long. Who
 * opens many pools at one root asks once for all of them whether overlays can be had there.
 */
export const openPool = (
  context: Context,
  repository: Repository,
  findOverlayObstacle?: FindOverlayObstacle,
): Promise<OpenPool> => open(context, repository, settleMeanwhile(context), findOverlayObstacle);

/** Uses the pool for a moment; what takes long is then left to a process in the background. */
export async function withPool<T>(
  context: Context,
  repository: Repository,
  use: (opened: OpenPool) => Promise<T>,
): Promise<T> {
  const opened = await open(context, repository, settleAtEnd(context));
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/** What dead processes left in the pool is settled before anything else. */
async function open(
  context: Context,
  repository: Repository,
  keeper: RemainsKeeper,
  findOverlayObstacle?: FindOverlayObstacle,
): Promise<OpenPool> {
  const dependencies = await describePool(context, repository, keeper.announce, findOverlayObstacle);
  await settleDead(context, dependencies);
  const { root, settings, requireRoom } = dependencies;
  return {
    pool: createWorkspacePool(dependencies),
    cap: settings.size,
    root,
    requireRoom,
    close: async () => {
      await keeper.close();
      await removeEmptyFolders(root, repository.id);
      await tidyRoot(context);
    },
  };
}

/** Whoever died while it made a slot may have been making a template for it. */
async function settleDead(context: Context, dependencies: PoolDependencies): Promise<void> {
  const { store, git, root, repository } = dependencies;
  const hasDead = (await store.slots.list(repository.id)).slots.some(isAbandoned);
  for (const problem of await settlePool(dependencies)) context.narrate(`warning: ${problem}`);
  if (hasDead)
    await evictTemplates(git, { root, repositoryId: repository.id, commonDir: repository.commonDir });
}

/** What was made for a slot that did not come to be, or for the last one. Most often they are not empty. */
async function removeEmptyFolders(root: string, repositoryId: string): Promise<void> {
  const folders = [poolDirectory(root, repositoryId), templatesOf({ root, repositoryId })];
  for (const folder of folders) {
    await rmdir(folder).catch(() => undefined);
    await rmdir(dirname(folder)).catch(() => undefined);
  }
}

export async function describePool(
  context: Context,
  repository: Repository,
  onRemains: PoolDependencies['onRemains'],
  findOverlayObstacle: FindOverlayObstacle = createOverlayProbe(),
): Promise<PoolDependencies> {
  const { store, git, now, ids, self } = context;
  const { config } = await context.loadConfig(repository.root);
  const settings = await applyTemplate(context, repository, undefined);
  const root = await resolveRoot(rootOf(context, settings));
  const { regenerable } = config.snapshots;
  return {
    store,
    git,
    now,
    ids,
    self,
    // Who found it through git knows that it has one.
    repository: { ...repository, commonDir: repository.commonDir as string },
    root,
    settings: config.pool,
    kinds: [
      createOverlaySlotFiles({ git, root, findObstacle: findOverlayObstacle }),
      createCheckoutSlotFiles({ git, now, regenerable, workers: availableParallelism() }),
    ],
    requireRoom: () => requireRoomForSlot(context, repository, settings),
    onRemains,
  };
}
