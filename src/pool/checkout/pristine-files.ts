import type { BytePath } from '../../git/byte-path.js';
import { ENTRY_MODES, entryMode, isOrdinaryEntry } from '../../git/index/git-index-entries.js';
import { type LoadedIndex, loadIndex, type UnusableIndex } from '../../git/index/git-index-file.js';

/** The entries of a directory of the work tree when nothing was added to it. */
export type TrackedKind = 'file' | 'directory' | 'submodule';

/** The files of a commit as the pristine index of a slot has them. */
export interface TrackedFiles {
  /** By directory, '' being the top: the names in it. */
  readonly directories: ReadonlyMap<BytePath, ReadonlyMap<string, TrackedKind>>;
  readonly submodules: readonly BytePath[];
  readonly index: LoadedIndex;
}

/** `unusable` when it is not the plain index that was written there. */
export function loadTrackedFiles(indexFile: string, idBytes: number): TrackedFiles | UnusableIndex {
  const index = loadIndex(indexFile, idBytes);
  if ('unusable' in index) return index;
  if (index.paths.some((_, entry) => !isOrdinaryEntry(index, entry)))
    return { unusable: 'the index hides files' };
  return { ...sortByDirectory(index), index };
}

function sortByDirectory(index: LoadedIndex): Pick<TrackedFiles, 'directories' | 'submodules'> {
  const directories = new Map<BytePath, Map<string, TrackedKind>>([['', new Map()]]);
  const submodules: BytePath[] = [];
  let [directory, names] = ['', directories.get('') as Map<string, TrackedKind>];
  index.paths.forEach((path, entry) => {
    const end = path.lastIndexOf('/');
    const parent = path.slice(0, Math.max(end, 0));
    // Entries are sorted: most have the directory of the one before.
    if (parent !== directory) [directory, names] = [parent, enterDirectory(directories, parent)];
    const isSubmodule = entryMode(index, entry) === ENTRY_MODES.submodule;
    names.set(path.slice(end + 1), isSubmodule ? 'submodule' : 'file');
    if (isSubmodule) submodules.push(path);
  });
  return { directories, submodules };
}

function enterDirectory(
  directories: Map<BytePath, Map<string, TrackedKind>>,
  path: BytePath,
): Map<string, TrackedKind> {
  const known = directories.get(path);
  if (known) return known;
  const names = new Map<string, TrackedKind>();
  directories.set(path, names);
  const end = path.lastIndexOf('/');
  enterDirectory(directories, path.slice(0, Math.max(end, 0))).set(path.slice(end + 1), 'directory');
  return names;
}
