import type { BytePath } from '../byte-path.js';
import { parentDirectories } from '../files/parent-directories.js';
import { type DirectoryEntry, readDirectory } from '../files/read-directory.js';
import type { FoundFile } from '../files/walk.js';
import type { Git, GitOptions } from '../git.js';
import { GITLINK_MODE, type IndexEntry } from '../index/list-index-entries.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import { type FindIgnored, withIgnoreRules } from './ask-ignored.js';
import { type Copier, createCopier } from './foreign-copier.js';

/**
 * Inspects files that a hostile agent may have written. git must not see them in place: it would enter the
 * repositories that it meets, whose configuration names programs; read HEAD of each, even where submodules are to be
 * ignored (check_removed and ce_compare_gitlink in git 2.39), and block forever when that is a named pipe; and open
 * .gitignore and .gitattributes in the same way. So git works in our copy, which has the rules and those of the
 * files that are in question, and never a repository, a pipe or a device.
 */
export const FOREIGN_COPY = 'foreign-copy';

/** Maximum size of a file with rules for git (.gitignore, .gitattributes). Larger ones are not applied. */
const RULE_FILES = ['.gitignore', '.gitattributes'];
const MOST_RULE_BYTES = 1 << 20;

export interface ForeignListing {
  readonly untracked: readonly BytePath[];
  /** Without anything tracked in them. */
  readonly ignoredDirectories: readonly BytePath[];
}

/**
 * What `git ls-files --others --exclude-standard` would list. `index` works in the copy, which has the rules of all
 * directories afterwards that are not ignored as a whole. One git answers questions about as many files at once.
 */
export const listForeignUntracked = (
  git: Git,
  place: WorkTreePlace,
  index: GitOptions & { readonly workTree: string },
  entries: readonly IndexEntry[],
): Promise<ForeignListing> =>
  withIgnoreRules(git, index, ask => listByParts(ask, place, index.workTree, entries));

/** Files and directories per query: a balance between walking ignored files and the number of queries. */
const ASKED_AT_ONCE = 1000;

async function listByParts(
  askIgnored: FindIgnored,
  place: WorkTreePlace,
  rules: string,
  entries: readonly IndexEntry[],
): Promise<ForeignListing> {
  const gather = createGatherer(place, createCopier(place.workTree, rules), entries);
  const untracked: BytePath[] = [];
  const ignoredDirectories: BytePath[] = [];
  for (let left: readonly BytePath[] = ['']; left.length > 0; ) {
    const found = await gather(left);
    // What is in an ignored directory is ignored too.
    const ignored = await askIgnored([...found.files, ...found.directories]);
    for (const path of found.files) if (!ignored.has(path)) untracked.push(path);
    for (const path of found.directories) if (ignored.has(path)) ignoredDirectories.push(path);
    left = found.left.filter(path => !ignored.has(path));
  }
  return { untracked: untracked.sort(), ignoredDirectories };
}

interface Gathered {
  /** That are not tracked. */
  readonly files: readonly BytePath[];
  /** Without anything tracked in them. */
  readonly directories: readonly BytePath[];
  /** Directories still to be entered. */
  readonly left: readonly BytePath[];
}

/** Enters directories and their subdirectories until there is enough for a query; copies their rules. */
function createGatherer(place: WorkTreePlace, copy: Copier, entries: readonly IndexEntry[]) {
  const paths = entries.map(entry => entry.path);
  const tracked = new Set(paths);
  const occupied = parentDirectories(paths);
  const gitlinks = new Set(entries.filter(entry => entry.mode === GITLINK_MODE).map(entry => entry.path));
  return async (start: readonly BytePath[]): Promise<Gathered> => {
    const pending = [...start];
    const files: BytePath[] = [];
    const directories: BytePath[] = [];
    let at = 0;
    for (; at < pending.length && files.length + directories.length < ASKED_AT_ONCE; at++) {
      for (const entry of listOwn(place, pending[at] as BytePath, occupied)) {
        const { path, stats } = entry;
        if (isRuleFile(entry)) await copy.file(path, toFound(entry));
        if (isListed(entry) && !tracked.has(path)) files.push(path);
        if (!stats.isDirectory() || gitlinks.has(path)) continue;
        pending.push(path);
        if (occupied.has(path)) continue;
        copy.directory(path);
        directories.push(path);
      }
    }
    return { files, directories, left: pending.slice(at) };
  };
}

/** The contents of a directory, except for a nested repository without a file of this one. */
function listOwn(
  place: WorkTreePlace,
  directory: BytePath,
  occupied: ReadonlySet<BytePath>,
): DirectoryEntry[] {
  const entries = readDirectory(place.workTree, directory);
  place.meter?.count(entries.length);
  const inPlace = entries.filter(({ path }) => !place.leftOut?.has(path));
  const own = inPlace.filter(({ name }) => name !== '.git' && !(directory === '' && name === place.apart));
  const isRepository = directory !== '' && own.length < inPlace.length;
  return isRepository && !occupied.has(directory) ? [] : own;
}

const isRuleFile = ({ name, stats }: DirectoryEntry): boolean =>
  RULE_FILES.includes(name) && stats.isFile() && stats.size <= MOST_RULE_BYTES;

const isListed = ({ stats }: DirectoryEntry): boolean => stats.isFile() || stats.isSymbolicLink();

const toFound = ({ stats }: DirectoryEntry): FoundFile => ({
  kind: stats.isSymbolicLink() ? 'symlink' : 'file',
  mode: stats.mode & 0o7777,
  bytes: stats.size,
});
