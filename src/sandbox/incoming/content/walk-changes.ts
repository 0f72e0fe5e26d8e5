import type { BytePath } from '../../../git/byte-path.js';
import type { TreeEntry } from '../../../git/diff/tree-changes.js';
import type { NewCommit } from '../new-commits.js';
import { DIRECTORY, type Tree } from './tree-object.js';

/** A file or directory of a new commit that differs from all of its parents. */
export interface ChangedEntry extends TreeEntry {
  readonly commit: string;
  readonly path: BytePath;
  /** What the parents have at the path; those that have nothing there are left out. */
  readonly before: readonly TreeEntry[];
}

/** A directory that differs from all parents; the top has an empty path. */
export interface ChangedDirectory {
  readonly commit: string;
  readonly path: BytePath;
  readonly tree: Tree;
  /** What the parents have in a directory at this path. */
  readonly before: readonly Tree[];
}

export interface ChangeVisitor {
  readonly load: (name: string) => Tree | Promise<Tree>;
  readonly onDirectory: (directory: ChangedDirectory) => void;
  readonly onEntry: (entry: ChangedEntry) => void;
}

/**
 * Walks everything that a commit changes. Not with `git diff-tree`, which builds the whole list before it prints anything: a
 * handful of trees can represent a billion files (seen with git 2.39: gigabytes for an ordinary git bomb). The callback may
 * throw at any moment, and only the current path is kept in memory.
 */
export async function walkChanges({ id, parents }: NewCommit, visitor: ChangeVisitor): Promise<void> {
  const before = await loadAll(
    visitor,
    parents.map(parent => `${parent}^{tree}`),
  );
  await walkDirectory({ commit: id, path: '', tree: await visitor.load(`${id}^{tree}`), before }, visitor);
}

async function walkDirectory(directory: ChangedDirectory, visitor: ChangeVisitor): Promise<void> {
  const { commit, path, tree } = directory;
  visitor.onDirectory(directory);
  for (const [name, entry] of tree) {
    const before = directory.before.flatMap(other => other.get(name) ?? []);
    if (before.some(other => other.id === entry.id && other.mode === entry.mode)) continue;
    const changed = { ...entry, commit, path: path === '' ? name : `${path}/${name}`, before };
    visitor.onEntry(changed);
    if (entry.mode === DIRECTORY) await walkDirectory(await enter(changed, visitor), visitor);
  }
}

async function enter(
  { commit, path, id, before }: ChangedEntry,
  visitor: ChangeVisitor,
): Promise<ChangedDirectory> {
  const others = before.filter(({ mode }) => mode === DIRECTORY).map(other => other.id);
  return { commit, path, tree: await visitor.load(id), before: await loadAll(visitor, others) };
}

async function loadAll({ load }: ChangeVisitor, names: readonly string[]): Promise<Tree[]> {
  return Promise.all(names.map(name => load(name)));
}
