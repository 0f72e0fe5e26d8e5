import { join } from 'node:path';
import type { SlotRecord } from '../domain/slot.js';
import { isAlive } from '../exec/process-identity.js';
import { countIndexEntries } from '../git/index-file.js';
import { adoptSlot } from '../pool/adopt-slot.js';
import { slotPlace } from '../pool/slot-place.js';
import type { ReadyFiles, Repository } from '../workspace/backend.js';
import { resolveRoot } from '../workspace/folder.js';
import { digestConversions } from '../workspace/template-place.js';
import type { Context } from './context.js';
import { withPool } from './open-pool.js';
import { inRepositoryLock } from './repository-lock.js';
import { rootOf } from './require-room.js';
import { applyTemplate, type Settings } from './settings.js';

/** A warm workspace that nobody has. Its files become the next one that `carrel up` makes. */
export interface SpareDesk extends ReadyFiles {
  readonly slotId: string;
}

/** A spare of the repository, one at `commit` before others; undefined when there is none or none is wanted. */
export async function takeSpare(
  context: Context,
  repository: Repository,
  settings: Settings,
  commit: string,
): Promise<SpareDesk | undefined> {
  if (settings.pool.spare === 'off' || settings.files === 'checkout') return undefined;
  if (countFree(await listSlots(context, repository)) === 0) return undefined;
  const [root, conversions] = await Promise.all([
    resolveRoot(rootOf(context, settings)),
    digestConversions(context.git, repository.commonDir as string),
  ]);
  const slot = await adoptSlot({ ...context, repository, root }, commit, conversions);
  if (!slot) {
    // Those that are there were written under another configuration, below another root, or are gone by now.
    context.startBackground(['pool', 'refill', '--repository', repository.root]);
    return undefined;
  }
  const { workTree, pristineIndex } = slotPlace(slot.directory);
  return { tree: workTree, indexFile: pristineIndex, commit: slot.commit, slotId: slot.id };
}

/**
 * Lets the background make the spares that are missing, and clear away what is left of the one that was taken. Nothing
 * is started when somebody is making one already.
 */
export async function refillSpares(
  context: Context,
  repository: Repository,
  settings: Settings,
  taken: SpareDesk | undefined,
): Promise<void> {
  const wanted = await countWanted(repository, settings);
  if (!taken && wanted === 0) return;
  const slots = await listSlots(context, repository);
  if (!taken && (countFree(slots) >= wanted || slots.some(isBeingMade))) return;
  const adopted = taken ? ['--adopted', taken.slotId] : [];
  context.startBackground(['pool', 'refill', '--repository', repository.root, ...adopted]);
}

/** The part that is done in the background: as many spares as are wanted, at the repository's HEAD. */
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
    // Two that count at the same moment would both make one.
    await alone(context, repository, () => pool.warmup(wanted, base.commit as string, { kind: 'checkout' }));
  });
}

const alone = <T>(context: Context, { id, root }: Repository, action: () => Promise<T>): Promise<T> =>
  inRepositoryLock(context, { repositoryId: `${id}:spares`, repository: root }, action);

const listSlots = async (context: Context, repository: Repository): Promise<readonly SlotRecord[]> =>
  (await context.store.slots.list(repository.id)).slots.filter(slot => slot.kind === 'checkout');

const countFree = (slots: readonly SlotRecord[]): number =>
  slots.filter(slot => slot.status === 'free').length;

const isBeingMade = ({ status, owner }: SlotRecord): boolean =>
  status === 'creating' && owner !== null && isAlive(owner) !== 'dead';

/** Fewer files are checked out in the time that it takes to start a process in the background. */
const WORTHWHILE_FILES = 2000;

async function countWanted({ commonDir }: Repository, { pool, files }: Settings): Promise<number> {
  if (pool.spare === 'off' || files === 'checkout' || commonDir === null) return 0;
  if (pool.spare !== 'auto') return Math.min(pool.spare, pool.size);
  return (await countIndexEntries(join(commonDir, 'index'))) >= WORTHWHILE_FILES ? 1 : 0;
}
