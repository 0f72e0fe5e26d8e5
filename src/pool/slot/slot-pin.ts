import { existsSync } from 'node:fs';
import { isCarrelError } from '../../domain/error/error.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { Git } from '../../git/git.js';
import { readRef, updateRefs } from '../../git/refs/refs.js';

/** The only trace of a slot in the repository: it protects the slot's commit from git's garbage collection. */
export const pinOf = (slotId: string): string => `refs/carrel/pool/${slotId}`;

/** `from` is what the record says; after a crash the ref may be a step ahead, and the owner of the slot decides. */
export async function movePin(
  git: Git,
  slot: SlotRecord,
  from: string | null,
  to: string | null,
): Promise<void> {
  const place = { gitDir: slot.commonDir };
  const ref = pinOf(slot.id);
  try {
    await updateRefs(git, place, [{ ref, from, to }]);
  } catch (error) {
    if (!isCarrelError(error, 'REF_MOVED')) throw error;
    const found = (await readRef(git, place, ref)) ?? null;
    if (found !== to) await updateRefs(git, place, [{ ref, from: found, to }]);
  }
}

/** With its repository the pin is gone too. */
export async function removePin(git: Git, slot: SlotRecord): Promise<void> {
  if (existsSync(slot.commonDir)) await movePin(git, slot, slot.commit || null, null);
}
