import { lstatSync } from 'node:fs';
import { copyFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type BytePath, toFsPath } from '../byte-path.js';
import { hashContent } from '../content-hash.js';
import type { Git } from '../git.js';
import { readPaths } from '../index-entries.js';
import { matchesStat, modifiedAt } from '../index-stat.js';
import { loadPlainIndex, type PlainIndex } from '../plain-index.js';
import { withScratchDirectory } from '../scratch-directory.js';
import { countFiles } from './count-files.js';
import type { WorkTreePlace } from './place.js';
import { statEntry } from './read-directory.js';

export interface CleanQuestion {
  /** Characters of an id. */
  readonly idLength: number;
  /** Ignored files that were brought along; they count as clean while their content is this. */
  readonly included: readonly { readonly path: BytePath; readonly sha256: string }[];
  readonly temporaryRoot: string;
  /**
   * How files are judged that are as young as the index: by their content, as git does it; or by their times to the
   * nanosecond, which spares reading every file of the last second of a checkout, and misses an edit that kept the size
   * and came within one tick of the clock (at most 10 ms) of the checkout of that very file.
   */
  readonly youngFiles: 'by-content' | 'by-time';
}

export interface CleanFiles {
  /** Its tree is that of the files; whether it is that of HEAD is for the caller to compare. */
  readonly index: PlainIndex;
  /** Those of the included files that are there. */
  readonly included: readonly BytePath[];
}

/**
 * Whether the files of a work tree are exactly those of its index and the included ones: the index is plain (see
 * plain-index.ts), no file differs from it, and nothing else lies there (see count-files.ts). Undefined when it is not
 * so, or when it takes a closer look to tell. Nothing is written, and no filter runs unless young files are judged by
 * content.
 *
 * A third of the time of a `git status`: since every file of the index is there, counting tells whether there are
 * others, and index against HEAD is a comparison of two ids.
 */
export async function findCleanFiles(
  git: Git,
  place: WorkTreePlace,
  question: CleanQuestion,
): Promise<CleanFiles | undefined> {
  const index = loadPlainIndex(join(place.gitDir, 'index'), question.idLength === 64 ? 32 : 20);
  if (!index) return undefined;
  const [isUnchanged, included] = await Promise.all([
    hasNoChanges(git, place, index, question),
    findOnlyIncluded(place, index.offsets.length, question.included),
  ]);
  return isUnchanged && included ? { index, included } : undefined;
}

/** Without a refresh: a file that was only touched counts as changed, and a closer look tells. */
async function hasNoChanges(
  git: Git,
  place: WorkTreePlace,
  index: PlainIndex,
  { youngFiles, temporaryRoot }: CleanQuestion,
): Promise<boolean> {
  const { gitDir, workTree } = place;
  const { young } = index;
  const ask = (indexFile: string) =>
    git.succeeds(['diff-files', '--quiet', '--ignore-submodules=all'], { gitDir, workTree, indexFile });
  const own = join(gitDir, 'index');
  if (young.length === 0 || youngFiles === 'by-content') return ask(own);
  if (!areUntouched(workTree, index, young)) return false;
  return withScratchDirectory(temporaryRoot, async scratch => {
    const older = join(scratch, 'index');
    await copyFile(own, older);
    const after = young.reduce((latest, entry) => Math.max(latest, modifiedAt(index, entry)), 0) + 1;
    await utimes(older, after, after);
    return ask(older);
  });
}

/** Whether the files are as git saw them, in every number that git keeps. */
function areUntouched(workTree: string, index: PlainIndex, entries: readonly number[]): boolean {
  const paths = readPaths(index, entries);
  return entries.every((entry, at) => {
    const path = toFsPath(workTree, paths[at] as BytePath);
    const info = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return info !== undefined && matchesStat(index, entry, info);
  });
}

/** The included files that are there, when nothing but them and `tracked` files is. */
async function findOnlyIncluded(
  place: WorkTreePlace,
  tracked: number,
  included: CleanQuestion['included'],
): Promise<BytePath[] | undefined> {
  const files = countFiles(place.workTree);
  const present = included.filter(({ path }) => statEntry(place.workTree, path)?.isFile());
  if (files !== tracked + present.length) return undefined;
  for (const { path, sha256 } of present) {
    if ((await hashContent(place.workTree, path)) !== sha256) return undefined;
  }
  return present.map(({ path }) => path);
}
