import { utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BytePath } from '../byte-path.js';
import { explainFullDisk } from '../disk/disk-full.js';
import { parentDirectories } from '../files/parent-directories.js';
import { statExactly } from '../files/read-directory.js';
import { proveEntry } from './confirmed-index.js';
import {
  clearStat,
  entryFlags,
  entryId,
  entryMode,
  isHiddenEntry,
  readPaths,
  revealEntry,
} from './git-index-entries.js';
import { type DatedIndex, formatIndex } from './git-index-file.js';
import type { IndexEntry } from './list-index-entries.js';
import { loadAnyIndex } from './unseen-edits.js';

export interface RevealRequest {
  /** The index to copy; it is not written. */
  readonly from: string;
  readonly to: string;
  /** Where its files are; undefined when there are none. */
  readonly workTree: string | undefined;
}

/**
 * Writes a copy of an index for one `git status` that misses nothing, without a process: no entry is hidden, and one whose file
 * may have been changed without a trace has no stat data, so that git reads it. All others have been compared to the
 * nanosecond, or by content, at the time that the copy has; so git does not read them only because the original was written in
 * the same second. Returns the entries of the original; undefined when only git can read it (split, sparse, damaged, none).
 */
export async function copyRevealed({
  from,
  to,
  workTree,
}: RevealRequest): Promise<readonly IndexEntry[] | undefined> {
  const seconds = Math.floor(Date.now() / 1000);
  const index = loadAnyIndex(from);
  if ('unusable' in index) return undefined;
  const paths = readPaths(index);
  const entries = paths.map((path, entry) => toIndexEntry(index, entry, path));
  const isChanged = workTree !== undefined && (await reveal(index, paths, workTree));
  await writeIndex(to, isChanged ? formatIndex(index) : index.bytes);
  utimesSync(to, seconds, seconds);
  return entries;
}

/** DISK_FULL: the error of a write does not name the file. */
async function writeIndex(file: string, bytes: Uint8Array): Promise<void> {
  try {
    writeFileSync(file, bytes);
  } catch (error) {
    throw await explainFullDisk(error, [dirname(file)]);
  }
}

const toIndexEntry = (index: DatedIndex, entry: number, path: BytePath): IndexEntry => ({
  path,
  mode: entryMode(index, entry).toString(8).padStart(6, '0'),
  id: entryId(index, entry),
  ...entryFlags(index, entry),
});

/** Whether anything was changed in the bytes of the index. */
async function reveal(index: DatedIndex, paths: readonly BytePath[], workTree: string): Promise<boolean> {
  let isChanged = false;
  for (const [entry, path] of paths.entries()) {
    if (entry % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await nextTurn();
    const change = findChange(index, entry, path, workTree);
    change?.(index, entry);
    isChanged ||= change !== undefined;
  }
  return isChanged;
}

/** Some of them are read. */
const ENTRIES_AT_ONCE = 200;

function findChange(index: DatedIndex, entry: number, path: BytePath, workTree: string) {
  const isHidden = isHiddenEntry(index, entry);
  // In a sparse checkout a missing file is not a deletion.
  if (isHidden && entryFlags(index, entry).skipWorktree && !isHere(workTree, path)) return undefined;
  if (proveEntry(index, entry, path, workTree) === 'doubtful') return clearStat;
  return isHidden ? revealEntry : undefined;
}

/** Whether there is something other than a directory, and not behind a link. */
function isHere(workTree: string, path: BytePath): boolean {
  const info = statExactly(workTree, path);
  if (!info || info.isDirectory()) return false;
  return [...parentDirectories([path])].every(folder => statExactly(workTree, folder)?.isDirectory());
}
