import { basename } from 'node:path';
import type { BytePath } from '../../../git/byte-path.js';
import type { Git, GitOptions } from '../../../git/git.js';
import { entryId, entryMode, isOrdinaryEntry } from '../../../git/index/git-index-entries.js';
import { type LoadedIndex, loadIndex, type UnusableIndex } from '../../../git/index/git-index-file.js';
import { entrySize, isRacy } from '../../../git/index/index-stat.js';
import { listConverted } from './checkout-conversions.js';

/** A checkout that files may be cloned from; it is only read. */
export interface CloneSource {
  readonly tree: string;
  readonly indexFile: string;
  /**
   * Whether no process writes in it. Otherwise a file last written in the same second as its index is not trusted: it may
   * have been written again after git read it.
   */
  readonly isFrozen: boolean;
}

/** Which files of a commit a clone of the source provides. */
export interface ClonePlan {
  readonly from: string;
  readonly index: LoadedIndex;
  readonly wanted: Uint8Array;
  /** How many are wanted. */
  readonly count: number;
  /** Whether these are all files of the commit, and the index has no others. */
  readonly isWhole: boolean;
}

/** One file in a commit. */
export interface TreeFile {
  readonly path: BytePath;
  /** Mode and object id in one. */
  readonly content: string;
  readonly size: number;
}

/** All files of a commit in the order of an index, with their stored size. */
export async function listTreeFiles(git: Git, gitDir: string, commit: string): Promise<TreeFile[]> {
  const records = await git.records(['ls-tree', '-r', '-l', '-z', '--full-tree', commit], { gitDir });
  return records.map(parseTreeFile);
}

/** `<mode> <type> <id> <size>TAB<path>`, the size padded. */
function parseTreeFile(record: string): TreeFile {
  const tab = record.indexOf('\t');
  const id = record.indexOf(' ', 7) + 1;
  const end = record.indexOf(' ', id);
  return {
    path: record.slice(tab + 1),
    content: record.slice(0, 6) + record.slice(id, end),
    size: Number(record.slice(end, tab)),
  };
}

/**
 * Which files of a checkout are what git would write for a commit. The index has their object ids, and its sizes show
 * that nothing was converted on checkout: line endings, encoding, or a filter that has been turned off since would change
 * the size. `place` is where the files go.
 */
export async function planClone(
  git: Git,
  place: GitOptions,
  source: CloneSource,
  files: readonly TreeFile[],
): Promise<ClonePlan | UnusableIndex> {
  const index = loadIndex(source.indexFile, ((files[0]?.content.length ?? 46) - 6) / 2);
  if ('unusable' in index) return index;
  if (!hasSameAttributes(index, files)) return { unusable: 'its attributes differ' };
  const converted = await listConverted(git, { ...place, indexFile: source.indexFile }, index.paths);
  const isTrusted = (entry: number) =>
    isOrdinaryEntry(index, entry) &&
    (source.isFrozen || !isRacy(index, entry)) &&
    !converted.has(index.paths[entry] as BytePath);
  const { wanted, count } = chooseEntries(index, files, isTrusted);
  const isWhole = count === files.length && count === wanted.length;
  return { from: source.tree, index, wanted, count, isWhole };
}

/** git reads the attributes of the commit that it checks out; these are read from the source's index. */
function hasSameAttributes(index: LoadedIndex, files: readonly TreeFile[]): boolean {
  const isAttributes = (path: BytePath) =>
    path.endsWith('.gitattributes') && basename(path) === '.gitattributes';
  const own = index.paths.flatMap((path, entry) =>
    isAttributes(path) ? `${path}\0${contentOf(index, entry)}` : [],
  );
  const theirs = files.flatMap(({ path, content }) => (isAttributes(path) ? `${path}\0${content}` : []));
  return own.length === theirs.length && own.every((line, at) => line === theirs[at]);
}

/** Both lists are in the order of the paths' bytes. */
function chooseEntries(
  index: LoadedIndex,
  files: readonly TreeFile[],
  isTrusted: (entry: number) => boolean,
): Pick<ClonePlan, 'wanted' | 'count'> {
  const wanted = new Uint8Array(index.paths.length);
  let count = 0;
  let at = 0;
  for (const [entry, path] of index.paths.entries()) {
    while (at < files.length && (files[at] as TreeFile).path < path) at++;
    const file = files[at];
    if (file?.path !== path || !isStoredAs(index, entry, file) || !isTrusted(entry)) continue;
    wanted[entry] = 1;
    count++;
  }
  return { wanted, count };
}

/** A submodule has no size. */
const isStoredAs = (index: LoadedIndex, entry: number, file: TreeFile): boolean =>
  entrySize(index, entry) === file.size && contentOf(index, entry) === file.content;

const contentOf = (index: LoadedIndex, entry: number): string =>
  entryMode(index, entry).toString(8) + entryId(index, entry);
