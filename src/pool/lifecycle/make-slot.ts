import { existsSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { toBytePath } from '../../git/byte-path.js';
import { makeSharedDirectory } from '../../git/disk/shared-directory.js';
import { writePrivateGit } from '../../git/repository/private-git.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { hasRepositoryIn } from '../slot/find-nested-repository.js';
import { slotEvent } from '../slot/slot-event.js';
import { privateGitOf, readChecksum } from '../slot/slot-git.js';
import { movePin } from '../slot/slot-pin.js';
import { slotPlace } from '../slot/slot-place.js';
import { handOverAside, type RemainsContent } from '../slot/slot-remains.js';
import { filesOf, removeSlot } from './remove-slot.js';

/** Makes the files of a slot that this process has just recorded, and leaves it as `next` says. No trace when it fails. */
export async function makeSlot(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  next: Partial<SlotRecord>,
  signal?: AbortSignal,
): Promise<SlotRecord> {
  const { git, requireRoom } = dependencies;
  return orDestroy(dependencies, slot, async () => {
    await requireRoom();
    await closeToOthers(slot);
    await bothOrNeither(
      movePin(git, slot, null, slot.commit),
      filesOf(dependencies, slot).make(slot, signal),
    );
    return change(dependencies, slot, { ...next, pristine: readChecksum(slot) }, 'slot.created');
  });
}

/** Brings a slot that this process has leased to another commit. If that fails, the slot is removed. */
export async function retargetSlot(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  commit: string,
  signal?: AbortSignal,
): Promise<SlotRecord> {
  const { aside } = slotPlace(slot.directory);
  return orDestroy(dependencies, slot, async () => {
    // Those of earlier versions were open.
    await closeToOthers(slot);
    const files = filesOf(dependencies, slot);
    if (commit === slot.commit) {
      await files.retarget(slot, commit, aside, signal);
      return slot;
    }
    const hasCaches = Object.keys(slot.caches).length > 0;
    const lower = hasCaches ? ((await files.findLower?.(slot)) ?? null) : null;
    const retargeting = files.retarget(slot, commit, aside, signal);
    const pinning = movePin(dependencies.git, slot, slot.commit, commit);
    const moving = bothOrNeither(retargeting, pinning);
    await moving.catch(() => undefined);
    // Also when it failed: what lies aside is not looked for in a slot that is destroyed.
    await handOverAside(dependencies, slot, await judgeCaches(slot, lower));
    const [caches] = await moving;
    return change(dependencies, slot, { commit, caches, pristine: readChecksum(slot) });
  });
}

/** Caches that do not fit the new commit are deleted, except nested repositories, which may contain work. */
async function judgeCaches(slot: SlotRecord, lower: string | null): Promise<RemainsContent> {
  const { aside } = slotPlace(slot.directory);
  const isPartial = lower === null;
  const dropped = join(aside, isPartial ? 'tree' : 'upper');
  if (!(await hasRepositoryIn(dropped, Object.keys(slot.caches).map(toBytePath))))
    return { holds: 'rubbish', isPartial: true, lower: null };
  const gitDir = join(aside, 'git');
  if (!existsSync(gitDir)) {
    await writePrivateGit({ ...privateGitOf(slot), gitDir, workTree: dropped });
    await rm(join(dropped, '.git'));
  }
  return { holds: 'work', isPartial, lower };
}

/** Other users of the machine see nothing of what an attempt does there. */
async function closeToOthers({ directory }: SlotRecord): Promise<void> {
  await makeSharedDirectory(directory);
  await chmod(directory, 0o700);
}

async function orDestroy(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  action: () => Promise<SlotRecord>,
): Promise<SlotRecord> {
  try {
    return await action();
  } catch (error) {
    // The caller must get the first failure; what cannot be removed now is recovered after this process exits.
    await removeSlot(dependencies, slot).catch(() => undefined);
    throw error;
  }
}

/** Fails only when both have ended: the other would go on in a slot that is being destroyed. */
async function bothOrNeither<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}

async function change(
  { store, now }: PoolDependencies,
  slot: SlotRecord,
  patch: Partial<SlotRecord>,
  event?: 'slot.created',
): Promise<SlotRecord> {
  const full = { ...patch, changedAt: new Date(now()).toISOString() };
  const events = event ? [slotEvent(event, slot, { commit: slot.commit })] : [];
  const expected = { status: slot.status, owner: slot.owner };
  // A slot is never taken from a living process.
  return (await store.slots.update(slot.id, expected, full, events)) ?? { ...slot, ...full };
}
