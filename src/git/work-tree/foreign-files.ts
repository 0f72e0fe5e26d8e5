import { type BytePath, toBytes } from '../byte-path.js';
import type { Git, GitOptions } from '../git.js';
import { createCopier } from './foreign-copier.js';
import { GITLINK_MODE, type IndexEntry } from './index-entries.js';
import { parentDirectories } from './parent-directories.js';
import type { WorkTreePlace } from './place.js';
import { type DirectoryEntry, readDirectory } from './read-directory.js';
import type { FoundFile } from './walk.js';

/**
 * Looking at files that somebody hostile may have written. git must not see them where they are: it would enter the
 * repositories that it meets, whose configuration names programs; read HEAD of each, even where submodules are to be
 * ignored (check_removed and ce_compare_gitlink in git 2.39), and wait forever when that is a named pipe; and open
 * .gitignore and .gitattributes in the same way. So git works in a copy of ours, which has the rules and those of the
 * files that are in question, and never a repository, a pipe or a device.
 */
export const FOREIGN_COPY = 'foreign-copy';

/** Files that tell git what to do with others. More than this is no list of rules, and then there are no rules. */
const RULE_FILES = ['.gitignore', '.gitattributes'];
const MOST_RULE_BYTES = 1 << 20;

export interface ForeignListing {
  readonly untracked: readonly BytePath[];
  /** Without anything tracked in them. */
  readonly ignoredDirectories: readonly BytePath[];
}

/**
 * What `git ls-files --others --exclude-standard` would list. `index` works in the copy, which has the rules of all
 * directories afterwards that are not ignored as a whole. One question to git for each level of the tree on which there
 * is anything that is not tracked.
 */
export async function listForeignUntracked(
  git: Git,
  place: WorkTreePlace,
  index: GitOptions & { readonly workTree?: string },
  entries: readonly IndexEntry[],
): Promise<ForeignListing> {
  const copy = createCopier(place.workTree, index.workTree as string);
  const paths = entries.map(entry => entry.path);
  const tracked = new Set(paths);
  const occupied = parentDirectories(paths);
  const gitlinks = new Set(entries.filter(entry => entry.mode === GITLINK_MODE).map(entry => entry.path));
  const untracked: BytePath[] = [];
  const ignoredDirectories: BytePath[] = [];
  let level: readonly BytePath[] = [''];
  while (level.length > 0) {
    const found = level.flatMap(directory => listOwn(place, directory, occupied));
    for (const entry of found) if (isRuleFile(entry)) await copy.file(entry.path, toFound(entry));
    const directories = found.filter(entry => entry.stats.isDirectory() && !gitlinks.has(entry.path));
    const others = directories.map(entry => entry.path).filter(path => !occupied.has(path));
    const files = found.filter(entry => isListed(entry) && !tracked.has(entry.path));
    for (const path of others) copy.directory(path);
    const ignored = await listIgnored(git, index, [...files.map(entry => entry.path), ...others]);
    untracked.push(...files.map(entry => entry.path).filter(path => !ignored.has(path)));
    ignoredDirectories.push(...others.filter(path => ignored.has(path)));
    level = directories.map(entry => entry.path).filter(path => !ignored.has(path));
  }
  return { untracked: untracked.sort(), ignoredDirectories };
}

/** What is in a directory, but for one that is a repository of its own without a file of this one. */
function listOwn(
  place: WorkTreePlace,
  directory: BytePath,
  occupied: ReadonlySet<BytePath>,
): DirectoryEntry[] {
  const entries = readDirectory(place.workTree, directory);
  const own = entries.filter(({ name }) => name !== '.git' && !(directory === '' && name === place.apart));
  const isRepository = directory !== '' && own.length < entries.length;
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

/**
 * 1: none is. The command refuses literal pathspecs, and would find magic in a name such as `:(glob)`; behind `./` there
 * is none.
 */
async function listIgnored(
  git: Git,
  index: GitOptions,
  paths: readonly BytePath[],
): Promise<ReadonlySet<BytePath>> {
  if (paths.length === 0) return new Set();
  const stdin = toBytes(paths.map(path => `./${path}\0`).join(''));
  const query = ['check-ignore', '--no-index', '-z', '--stdin'];
  const env = { GIT_LITERAL_PATHSPECS: '0' };
  const ignored = await git.records(query, { ...index, stdin, env, answers: [0, 1] });
  return new Set(ignored.map(path => path.slice(2)));
}
