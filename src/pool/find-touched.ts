import { lstatSync } from 'node:fs';
import type { SlotRecord } from '../domain/slot.js';
import { type BytePath, toFsPath } from '../git/byte-path.js';
import type { Git } from '../git/git.js';
import { ENTRY_MODES, entryMode } from '../git/index-entries.js';
import { isRacy, matchesStat } from '../git/index-stat.js';
import { createTimeSlice } from '../workspace/time-slice.js';
import { gitIn } from './slot-git.js';
import { slotPlace } from './slot-place.js';
import type { TrackedFiles } from './tracked-files.js';

/**
 * Tracked files that were written, deleted, replaced or given other permissions since the slot was proven clean, also
 * when their content is the same again. By stat data against the pristine index, whose times nobody can set (ctime).
 * `byGit` is the answer of `listByGit`, which whoever has other things to do asks for first.
 */
export async function findTouched(
  { directory }: SlotRecord,
  tracked: TrackedFiles,
  byGit: Promise<BytePath[]>,
): Promise<BytePath[]> {
  const { workTree } = slotPlace(directory);
  const [seen, unseen] = await Promise.all([byGit, listInTheSameSecond(workTree, tracked)]);
  return [...new Set([...seen, ...unseen])];
}

/** `diff-files` and not `diff`: that would refresh the index first, and no longer know what was only touched. */
export function listByGit(git: Git, slot: SlotRecord): Promise<BytePath[]> {
  const { pristineIndex } = slotPlace(slot.directory);
  const options = gitIn(slot.directory, { indexFile: pristineIndex });
  return git.records(['diff-files', '--name-only', '-z', '--ignore-submodules=all'], options);
}

/** Only those whose content or mode is another than the commit's: `diff` looks into what was only touched. */
export function listChanged(git: Git, slot: SlotRecord): Promise<BytePath[]> {
  const { pristineIndex } = slotPlace(slot.directory);
  const options = gitIn(slot.directory, { indexFile: pristineIndex, env: { GIT_OPTIONAL_LOCKS: '0' } });
  const command = ['diff', '--name-only', '-z', '--no-ext-diff', '--no-renames', '--ignore-submodules=all'];
  return git.records(command, options);
}

/** git compares whole seconds and then the content, and so does not see a chmod in the second of the checkout. */
async function listInTheSameSecond(workTree: string, { index }: TrackedFiles): Promise<BytePath[]> {
  const touched: BytePath[] = [];
  const slice = createTimeSlice();
  for (const [entry, path] of index.paths.entries()) {
    if (!isRacy(index, entry) || entryMode(index, entry) === ENTRY_MODES.submodule) continue;
    const info = lstatSync(toFsPath(workTree, path), { bigint: true, throwIfNoEntry: false });
    if (!info || !matchesStat(index, entry, info)) touched.push(path);
    if (slice.isOver()) await slice.breathe();
  }
  return touched;
}
