import { closeSync, fstatSync, futimesSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errnoOf } from '../../domain/error/error.js';
import type { BytePath } from '../byte-path.js';
import { READ_WITHOUT_FOLLOWING } from '../files/pinned-file.js';
import { statExactly } from '../files/read-directory.js';
import {
  ENTRY_MODES,
  entryId,
  entryMode,
  entryStat,
  isMergedEntry,
  readPaths,
  STAT_AT,
} from './git-index-entries.js';
import type { DatedIndex } from './git-index-file.js';
import { isRacy, isWithinTick, matchesInSeconds, matchesStat } from './index-stat.js';
import { hasContent, loadAnyIndex } from './unseen-edits.js';

/**
 * `same`: the file has been proven to be that of its entry, and git takes it for that. `other`: git sees by itself that it
 * differs, is missing, or has to be compared. `doubtful`: git would take it for unchanged although it may not be.
 */
export type EntryProof = 'same' | 'other' | 'doubtful';

export function proveEntry(index: DatedIndex, entry: number, path: BytePath, workTree: string): EntryProof {
  const mode = entryMode(index, entry);
  if (mode === ENTRY_MODES.submodule || !isMergedEntry(index, entry)) return 'other';
  const info = statExactly(workTree, path);
  if (!info || !matchesInSeconds(index, entry, info)) return 'other';
  if (matchesStat(index, entry, info) && !isWithinTick(index, entry)) return 'same';
  return hasContent(workTree, { path, mode: mode.toString(8), id: entryId(index, entry) })
    ? 'same'
    : 'doubtful';
}

/** Whether every later change of the file has a time in another second, when `now` is the time of the proof. */
const isSettled = (index: DatedIndex, entry: number, now: number): boolean =>
  [STAT_AT.ctime, STAT_AT.mtime].every(at => entryStat(index, entry, at) < Math.floor(now / 1000));

/**
 * Until an index is written again, git reads all files that were last changed in the second that it was written in, as all
 * are after a checkout. This proves once that they are the same and gives the index file the time of the proof, so that
 * nothing reads them again. The content of the index stays. False when there is nothing to prove, when one may have changed,
 * or when it is too early: then nothing is written. Only for the index of a workspace, never for the user's.
 */
export async function confirmIfRacy(
  file: string,
  index: DatedIndex,
  workTree: string,
  now: number = Date.now(),
): Promise<boolean> {
  const entries = [...index.offsets.keys()];
  if (!entries.some(entry => isRacy(index, entry))) return false;
  for (const [entry, path] of readPaths(index).entries()) {
    if (entry % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await nextTurn();
    const proof = proveEntry(index, entry, path, workTree);
    if (proof === 'doubtful' || (proof === 'same' && !isSettled(index, entry, now))) return false;
  }
  return confirm(file, index, now);
}

/** The same for the index of a workspace's own git directory. */
export async function confirmOwnIndex(place: { readonly gitDir: string; readonly workTree: string }) {
  const file = join(place.gitDir, 'index');
  const index = loadAnyIndex(file);
  const isProven = !('unusable' in index) && (await confirmIfRacy(file, index, place.workTree));
  return { index, isProven };
}

/** Whether every file is that of its entry by its stat data or its content. Submodules are not entered. */
export function isFresh(index: DatedIndex, workTree: string): boolean {
  return readPaths(index).every((path, entry) => {
    const isSubmodule = entryMode(index, entry) === ENTRY_MODES.submodule;
    return isSubmodule || proveEntry(index, entry, path, workTree) === 'same';
  });
}

/** Some of them are read. */
const ENTRIES_AT_ONCE = 200;

/** By descriptor: an index that git has put in its place since is another file, and is left alone. */
function confirm(file: string, { writtenAt, writtenAtNanoseconds }: DatedIndex, now: number): boolean {
  try {
    const descriptor = openSync(file, READ_WITHOUT_FOLLOWING);
    try {
      const { mtimeNs } = fstatSync(descriptor, { bigint: true });
      if (mtimeNs !== BigInt(writtenAt) * 1_000_000_000n + BigInt(writtenAtNanoseconds)) return false;
      futimesSync(descriptor, now / 1000, now / 1000);
      return true;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    // It is deleted, or another user's: then it stays as it is.
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}
