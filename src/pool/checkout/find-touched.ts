import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { BytePath } from '../../git/byte-path.js';
import { statExactly } from '../../git/files/read-directory.js';
import type { Git } from '../../git/git.js';
import { ENTRY_MODES, entryId, entryMode } from '../../git/index/git-index-entries.js';
import type { LoadedIndex } from '../../git/index/git-index-file.js';
import { isWithinTick, matchesStat } from '../../git/index/index-stat.js';
import { findUnseenEdits, hasContent } from '../../git/index/unseen-edits.js';
import { createTimeSlice } from '../../workspace/files/time-slice.js';
import { gitIn } from '../slot/slot-git.js';
import { slotPlace } from '../slot/slot-place.js';
import type { TrackedFiles } from './pristine-files.js';

/**
 * Tracked files that were written, deleted, replaced or given other permissions since the slot was proven clean, also
 * when their content is the same again. Compares stat data with the pristine index, to the nanosecond and by times that no
 * program can set (ctime): git compares whole seconds, and so does not see an edit that was given the old time within the
 * second, nor a chmod in the second of the checkout. Files changed too close to the writing of the index are read. No
 * process is started; `findProblem` has git look afterwards.
 */
export async function findTouched({ directory }: SlotRecord, { index }: TrackedFiles): Promise<BytePath[]> {
  const { workTree } = slotPlace(directory);
  const touched: BytePath[] = [];
  const slice = createTimeSlice();
  for (const [entry, path] of index.paths.entries()) {
    if (entryMode(index, entry) === ENTRY_MODES.submodule) continue;
    const info = statExactly(workTree, path);
    if (!info || !matchesStat(index, entry, info) || isChangedWithinTick(workTree, index, entry))
      touched.push(path);
    if (slice.isOver()) await slice.breathe();
  }
  return touched;
}

/**
 * What git finds different between the commit, the pristine index and the files: all three in one process. `diff-index`
 * and not `diff`: that would refresh the index first, and no longer know what was only touched.
 */
export function listByGit(git: Git, slot: SlotRecord): Promise<BytePath[]> {
  const { pristineIndex } = slotPlace(slot.directory);
  const options = gitIn(slot.directory, { indexFile: pristineIndex });
  const command = ['diff-index', '--name-only', '-z', '--ignore-submodules=all', slot.commit];
  return git.records(command, options);
}

/** Only those whose content or mode is another than the commit's: `diff` looks into what was only touched. */
export async function listChanged(git: Git, slot: SlotRecord): Promise<BytePath[]> {
  const { pristineIndex } = slotPlace(slot.directory);
  const options = gitIn(slot.directory, { indexFile: pristineIndex, env: { GIT_OPTIONAL_LOCKS: '0' } });
  const command = ['diff', '--name-only', '-z', '--no-ext-diff', '--no-renames', '--ignore-submodules=all'];
  return [...new Set([...(await git.records(command, options)), ...(await listUnseenEdits(git, slot))])];
}

/** Edits that git does not notice. */
export function listUnseenEdits(git: Git, { directory }: SlotRecord): Promise<BytePath[]> {
  const { gitDir, workTree, pristineIndex } = slotPlace(directory);
  return findUnseenEdits(git, { ...gitIn(directory), gitDir, workTree, indexFile: pristineIndex });
}

const isChangedWithinTick = (workTree: string, index: LoadedIndex, entry: number): boolean =>
  isWithinTick(index, entry) &&
  !hasContent(workTree, {
    path: index.paths[entry] as BytePath,
    mode: entryMode(index, entry).toString(8),
    id: entryId(index, entry),
  });
