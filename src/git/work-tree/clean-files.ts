import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BytePath } from '../byte-path.js';
import { hashContent } from '../files/content-hash.js';
import { statEntry, statExactly } from '../files/read-directory.js';
import { entryId, entryMode, readPaths } from '../index/git-index-entries.js';
import { isWithinTick, matchesStat } from '../index/index-stat.js';
import { loadPlainIndex, type PlainIndex } from '../index/plain-index.js';
import { hasContent } from '../index/unseen-edits.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import { countFiles } from './count-files.js';

export interface CleanQuestion {
  /** Characters of an id. */
  readonly idLength: number;
  /** Ignored files that were copied at creation; they count as clean while their content is this. */
  readonly included: readonly { readonly path: BytePath; readonly sha256: string }[];
}

export interface CleanFiles {
  /** Its tree matches the files; the caller compares it with HEAD. */
  readonly index: PlainIndex;
  /** The included files that exist. */
  readonly included: readonly BytePath[];
  /** The permissions of all directories below the top; undefined when there are none. */
  readonly directoryMode: number | undefined;
}

/**
 * Whether the files of a work tree are exactly those of its index and the included ones: the index is plain (see
 * plain-index.ts), no file differs from it, and nothing else exists (see count-files.ts). Undefined when that is not so, or
 * when a full check is needed. Nothing is written, and no filter runs.
 *
 * A third of the time of a `git status`: since every file of the index exists, counting shows whether there are
 * others, and index against HEAD is a comparison of two ids.
 */
export async function findCleanFiles(
  place: WorkTreePlace,
  question: CleanQuestion,
): Promise<CleanFiles | undefined> {
  const index = loadPlainIndex(join(place.gitDir, 'index'), question.idLength === 64 ? 32 : 20);
  if (!index) return undefined;
  const [isUnchanged, others] = await Promise.all([
    areUnchanged(place.workTree, index),
    findOnlyIncluded(place, index.offsets.length, question.included),
  ]);
  return isUnchanged && others ? { index, ...others } : undefined;
}

/**
 * Whether the files are as git saw them, in all stat data that git keeps, and by content where that is inconclusive. A file
 * that was only touched counts as changed; the full check decides.
 */
async function areUnchanged(workTree: string, index: PlainIndex): Promise<boolean> {
  for (const [entry, path] of readPaths(index).entries()) {
    if (entry % ENTRIES_AT_ONCE === ENTRIES_AT_ONCE - 1) await nextTurn();
    const info = statExactly(workTree, path);
    if (!info || !matchesStat(index, entry, info)) return false;
    if (!isWithinTick(index, entry)) continue;
    const tracked = { path, mode: entryMode(index, entry).toString(8), id: entryId(index, entry) };
    if (!hasContent(workTree, tracked)) return false;
  }
  return true;
}

/** About 10 ms. */
const ENTRIES_AT_ONCE = 2000;

/** The included files that exist, if there are no files besides them and `tracked`. */
async function findOnlyIncluded(
  place: WorkTreePlace,
  tracked: number,
  included: CleanQuestion['included'],
): Promise<Omit<CleanFiles, 'index'> | undefined> {
  const counted = countFiles(place.workTree);
  const present = included.filter(({ path }) => statEntry(place.workTree, path)?.isFile());
  if (counted?.files !== tracked + present.length) return undefined;
  for (const { path, sha256 } of present) {
    if ((await hashContent(place.workTree, path)) !== sha256) return undefined;
  }
  return { included: present.map(({ path }) => path), directoryMode: counted.directoryMode };
}
