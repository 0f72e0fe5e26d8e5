import { lstatSync } from 'node:fs';
import { copyFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type BytePath, toFsPath } from '../byte-path.js';
import { hashContent } from '../content-hash.js';
import type { Git } from '../git.js';
import { type PlainEntry, type PlainIndex, readPlainIndex } from '../plain-index.js';
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
  const index = readPlainIndex(join(place.gitDir, 'index'), question.idLength === 64 ? 32 : 20);
  if (!index) return undefined;
  const [isUnchanged, included] = await Promise.all([
    hasNoChanges(git, place, index, question),
    findOnlyIncluded(place, index.count, question.included),
  ]);
  return isUnchanged && included ? { index, included } : undefined;
}

/** Without a refresh: a file that was only touched counts as changed, and a closer look tells. */
async function hasNoChanges(
  git: Git,
  place: WorkTreePlace,
  { young }: PlainIndex,
  { youngFiles, temporaryRoot }: CleanQuestion,
): Promise<boolean> {
  const { gitDir, workTree } = place;
  const ask = (indexFile: string) =>
    git.succeeds(['diff-files', '--quiet', '--ignore-submodules=all'], { gitDir, workTree, indexFile });
  const own = join(gitDir, 'index');
  if (young.length === 0 || youngFiles === 'by-content') return ask(own);
  if (!young.every(entry => isUntouched(place, entry))) return false;
  return withScratchDirectory(temporaryRoot, async scratch => {
    const older = join(scratch, 'index');
    await copyFile(own, older);
    const after = Math.max(...young.map(({ stat }) => stat.mtime[0])) + 1;
    await utimes(older, after, after);
    return ask(older);
  });
}

/** Whether the file is as git saw it, in every number that git keeps. */
function isUntouched(place: WorkTreePlace, { path, stat, isLink, isExecutable }: PlainEntry): boolean {
  const info = lstatSync(toFsPath(place.workTree, path), { bigint: true, throwIfNoEntry: false });
  if (!info || info.isSymbolicLink() !== isLink || info.isFile() === isLink) return false;
  return (
    (isLink || ((info.mode & 0o100n) !== 0n) === isExecutable) &&
    isTime(info.mtimeNs, stat.mtime) &&
    isTime(info.ctimeNs, stat.ctime) &&
    BigInt.asUintN(32, info.size) === BigInt(stat.bytes) &&
    BigInt.asUintN(32, info.ino) === BigInt(stat.inode) &&
    info.uid === BigInt(stat.user) &&
    info.gid === BigInt(stat.group)
  );
}

const isTime = (found: bigint, [seconds, nanoseconds]: readonly [number, number]): boolean =>
  found === BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);

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
