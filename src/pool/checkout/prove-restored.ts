import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { BytePath } from '../../git/byte-path.js';
import { statExactly } from '../../git/files/read-directory.js';
import { ENTRY_MODES, entryBytes, entryId, entryMode } from '../../git/index/git-index-entries.js';
import type { LoadedIndex } from '../../git/index/git-index-file.js';
import { matchesStat } from '../../git/index/index-stat.js';
import { hasContent } from '../../git/index/unseen-edits.js';
import { createTimeSlice } from '../../workspace/files/time-slice.js';
import { slotPlace } from '../slot/slot-place.js';
import { loadTrackedFiles, type TrackedFiles } from './pristine-files.js';

/**
 * Whether all tracked files are proven to be the commit's, without starting git, after git has written those that
 * were touched. The entries of all others are those that the files were compared with before, byte for byte; those
 * of the touched ones have the same content as before, and each file is read again. False means that it is not known, for
 * instance where a filter writes other bytes than the commit has: then git has to look.
 */
export async function isProvenRestored(
  slot: SlotRecord,
  before: TrackedFiles,
  touched: readonly BytePath[],
): Promise<boolean> {
  const { pristineIndex, workTree } = slotPlace(slot.directory);
  const after = loadTrackedFiles(pristineIndex, slot.commit.length / 2);
  if ('unusable' in after || after.index.paths.length !== before.index.paths.length) return false;
  const isTouched = new Set(touched);
  const slice = createTimeSlice();
  for (const [entry, path] of after.index.paths.entries()) {
    const isSame = before.index.paths[entry] === path && hasSameId(before.index, after.index, entry);
    const isProven = isTouched.has(path)
      ? isAsIndexed(workTree, after.index, entry)
      : entryBytes(before.index, entry).equals(entryBytes(after.index, entry));
    if (!isSame || !isProven) return false;
    if (slice.isOver()) await slice.breathe();
  }
  return true;
}

const hasSameId = (before: LoadedIndex, after: LoadedIndex, entry: number): boolean =>
  entryMode(before, entry) === entryMode(after, entry) && entryId(before, entry) === entryId(after, entry);

function isAsIndexed(workTree: string, index: LoadedIndex, entry: number): boolean {
  const path = index.paths[entry] as BytePath;
  const mode = entryMode(index, entry);
  if (mode === ENTRY_MODES.submodule) return true;
  const info = statExactly(workTree, path);
  if (!info || !matchesStat(index, entry, info)) return false;
  return hasContent(workTree, { path, mode: mode.toString(8), id: entryId(index, entry) });
}
