import { rmdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { createCheckoutSlotFiles } from '../../pool/checkout/checkout-slot-files.js';
import { createWorkspacePool } from '../../pool/create-workspace-pool.js';
import { isAbandoned, recoverSlots } from '../../pool/lifecycle/recover-slots.js';
import { createOverlaySlotFiles } from '../../pool/overlay/overlay-slot-files.js';
import type { PoolDependencies } from '../../pool/pool-dependencies.js';
import { poolDirectory } from '../../pool/slot/slot-place.js';
import type { WorkspacePool } from '../../pool/workspace-pool.js';
import type { Repository } from '../../workspace/backend.js';
import { resolveRoot } from '../../workspace/location/choose-folder.js';
import { createOverlayProbe, type FindOverlayObstacle } from '../../workspace/template/overlay-obstacle.js';
import { evictTemplates } from '../../workspace/template/template-eviction.js';
import { templatesOf } from '../../workspace/template/template-place.js';
import type { Context } from '../context.js';
import { type RemainsKeeper, removeAtEnd, removeInBackground } from '../remains/remains-keeper.js';
import { applyTemplate } from '../settings/workspace-settings.js';
import { cleanUpScratch } from '../space/clean-up-scratch.js';
import { requireRoomForSlot } from '../space/require-capacity.js';
import { removeEmptyRoot, workspaceRootOf } from '../space/workspace-root.js';

export interface OpenPool {
  readonly pool: WorkspacePool;
  /** Maximum number of slots. */
  readonly cap: number;
  /** The directory of all workspaces; a real path. */
  readonly root: string;
  /** LIMIT_REACHED when the disk forbids one more slot. */
  readonly requireRoom: () => Promise<void>;
  /** Handles files moved out of slots. Idempotent, and to be awaited before the store is closed. */
  close(): Promise<void>;
}

/**
 * Files moved out of slots are captured and deleted by this process while it runs. For long-running processes. A caller that opens many
 * pools at one root checks once for all of them whether overlays work there.
 */
export const openPool = (
  context: Context,
  repository: Repository,
  findOverlayObstacle?: FindOverlayObstacle,
): Promise<OpenPool> => open(context, repository, removeInBackground(context), findOverlayObstacle);

/** Uses the pool briefly; long work is then left to a background process. */
export async function withPool<T>(
  context: Context,
  repository: Repository,
  use: (opened: OpenPool) => Promise<T>,
): Promise<T> {
  const opened = await open(context, repository, removeAtEnd(context));
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/** Cleans up after dead processes before anything else. */
async function open(
  context: Context,
  repository: Repository,
  keeper: RemainsKeeper,
  findOverlayObstacle?: FindOverlayObstacle,
): Promise<OpenPool> {
  const dependencies = await describePool(context, repository, keeper.announce, findOverlayObstacle);
  await recoverSlotsAndTemplates(context, dependencies);
  const { root, settings, requireRoom } = dependencies;
  return {
    pool: createWorkspacePool(dependencies),
    cap: settings.size,
    root,
    requireRoom,
    close: async () => {
      await keeper.close();
      await removeEmptyFolders(root, repository.id);
      await removeEmptyRoot(context);
    },
  };
}

/** A process that died while creating a slot may have been creating a template for it. */
async function recoverSlotsAndTemplates(
  context: Pick<Context, 'narrate'>,
  dependencies: PoolDependencies,
): Promise<void> {
  const { store, git, root, repository } = dependencies;
  const hasDead = (await store.slots.list(repository.id)).slots.some(isAbandoned);
  // A process that died while testing overlays left that without a record.
  await cleanUpScratch(poolDirectory(root, repository.id));
  for (const problem of await recoverSlots(dependencies)) context.narrate(`warning: ${problem}`);
  if (hasDead)
    await evictTemplates(git, { root, repositoryId: repository.id, commonDir: repository.commonDir });
}

/** Directories created for a failed slot, or for the last one. Usually they are not empty. */
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
  const root = await resolveRoot(workspaceRootOf(context, settings));
  const { regenerable } = config.snapshots;
  return {
    store,
    git,
    now,
    ids,
    self,
    // Found through git, so it has one.
    repository: { ...repository, commonDir: repository.commonDir as string },
    root,
    settings: config.pool,
    kinds: [
      createOverlaySlotFiles({ git, root, regenerable, findObstacle: findOverlayObstacle }),
      createCheckoutSlotFiles({ git, now, regenerable, workers: availableParallelism() }),
    ],
    requireRoom: () => requireRoomForSlot(context, repository, settings),
    onRemains,
  };
}
