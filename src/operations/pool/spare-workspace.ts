import { join } from 'node:path';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { findOwnerState } from '../../exec/process/identify-process.js';
import { countIndexEntries } from '../../git/index/git-index-file.js';
import { adoptSlot } from '../../pool/lifecycle/adopt-slot.js';
import { slotPlace } from '../../pool/slot/slot-place.js';
import type { ReadyFiles, Repository } from '../../workspace/backend.js';
import { resolveRoot } from '../../workspace/location/choose-folder.js';
import { digestConversions } from '../../workspace/template/template-place.js';
import type { Context } from '../context.js';
import { inRepositoryLock } from '../repository/hold-repository-lock.js';
import { applyTemplate, type Settings } from '../settings/workspace-settings.js';
import { workspaceRootOf } from '../space/workspace-root.js';
import { withPool } from './open-pool.js';

/** An unused warm workspace. Its files become the next workspace that `carrel up` creates. */
export interface SpareWorkspace extends ReadyFiles {
  readonly slotId: string;
}

/** A spare of the repository, one at `commit` before others; undefined when there is none or none is wanted. */
export async function takeSpare(
  context: Pick<Context, 'store' | 'git' | 'now' | 'self' | 'places' | 'startBackground'>,
  repository: Repository,
  settings: Settings,
  commit: string,
): Promise<SpareWorkspace | undefined> {
  if (settings.pool.spare === 'off' || settings.files === 'checkout') return undefined;
  if (countFree(await listSlots(context, repository)) === 0) return undefined;
  const [root, conversions] = await Promise.all([
    resolveRoot(workspaceRootOf(context, settings)),
    digestConversions(context.git, repository.commonDir as string),
  ]);
  const slot = await adoptSlot({ ...context, repository, root }, commit, conversions);
  if (!slot) {
    // Existing ones have another configuration or root, or are gone by now.
    context.startBackground(['pool', 'refill', '--repository', repository.root]);
    return undefined;
  }
  const { workTree, pristineIndex } = slotPlace(slot.directory);
  return { tree: workTree, indexFile: pristineIndex, commit: slot.commit, slotId: slot.id };
}

/**
 * Starts a background process that creates missing spares and removes what is left of the one that was taken. Starts nothing when
 * another process is creating one already.
 */
export async function refillSpares(
  context: Pick<Context, 'store' | 'startBackground'>,
  repository: Repository,
  settings: Settings,
  taken: SpareWorkspace | undefined,
): Promise<void> {
  const wanted = await countWanted(repository, settings);
  if (!taken && wanted === 0) return;
  const slots = await listSlots(context, repository);
  if (!taken && (countFree(slots) >= wanted || slots.some(isBeingMade))) return;
  const adopted = taken ? ['--adopted', taken.slotId] : [];
  context.startBackground(['pool', 'refill', '--repository', repository.root, ...adopted]);
}

/** The part that is done in the background: the configured number of spares, at the repository's HEAD. */
export async function makeSpares(
  context: Context,
  directory: string,
  adopted: string | undefined,
): Promise<void> {
  const repository = await context.backends.git.locate(directory);
  const settings = await applyTemplate(context, repository, undefined);
  const wanted = await countWanted(repository, settings);
  await withPool(context, repository, async ({ pool }) => {
    if (adopted !== undefined) await pool.forget(adopted);
    if (wanted === 0) return;
    const { base } = await context.backends.git.resolve(repository, {});
    // Two processes that count at the same moment would both create one.
    await alone(context, repository, () => pool.warmup(wanted, base.commit as string, { kind: 'checkout' }));
  });
}

const alone = <T>(
  context: Pick<Context, 'store' | 'ids' | 'now' | 'self'>,
  { id, root }: Repository,
  action: () => Promise<T>,
): Promise<T> => inRepositoryLock(context, { repositoryId: `${id}:spares`, repository: root }, action);

const listSlots = async (
  context: Pick<Context, 'store'>,
  repository: Repository,
): Promise<readonly SlotRecord[]> =>
  (await context.store.slots.list(repository.id)).slots.filter(slot => slot.kind === 'checkout');

const countFree = (slots: readonly SlotRecord[]): number =>
  slots.filter(slot => slot.status === 'free').length;

const isBeingMade = ({ status, owner }: SlotRecord): boolean =>
  status === 'creating' && owner !== null && findOwnerState(owner) !== 'dead';

/** Fewer files are checked out in the time that it takes to start a process in the background. */
const WORTHWHILE_FILES = 2000;

async function countWanted({ commonDir }: Repository, { pool, files }: Settings): Promise<number> {
  if (pool.spare === 'off' || files === 'checkout' || commonDir === null) return 0;
  if (pool.spare !== 'auto') return Math.min(pool.spare, pool.size);
  return (await countIndexEntries(join(commonDir, 'index'))) >= WORTHWHILE_FILES ? 1 : 0;
}
