import { join } from 'node:path';
import type { BytePath } from '../../byte-path.js';
import { listTreeChanges } from '../../diff/tree-changes.js';
import { withScratchDirectory } from '../../disk/scratch-directory.js';
import type { Git, GitOptions } from '../../git.js';
import { readParents } from '../../objects/read-objects.js';
import { writeTree } from '../../objects/write-objects.js';
import { findExtras } from '../snapshot-meta.js';

/** The files of a snapshot, separated from those that git has in a newer version. */
export interface OlderFiles {
  /** The files that are still the snapshot's. */
  readonly tree: string;
  /** The others: to be written from the index. */
  readonly newer: readonly BytePath[];
  /** Those of the others that the snapshot had changed too, so that its version is not used. */
  readonly overruled: readonly BytePath[];
}

/**
 * Compares a snapshot with an index that may be newer, because of later commits or staging. Where the index has changed, it
 * takes precedence; elsewhere the snapshot does.
 */
export async function findOlderFiles(
  git: Git,
  place: GitOptions & { readonly gitDir: string },
  { objectStore, commit, staged, temporaryRoot }: SnapshotFiles,
): Promise<OlderFiles> {
  const changed = await listIndexChanges(git, place, staged);
  if (changed.length === 0) return { tree: commit, newer: [], overruled: [] };
  const own = await listTreeChanges(git, { gitDir: objectStore }, staged, commit);
  const dirty = new Map(own.map(({ path, after }) => [path, after]));
  // A file that is no longer in the index and was never committed in this version would be lost, so it is kept as untracked.
  const gone = changed.filter(({ path, isThere }) => isThere || !dirty.get(path)).map(({ path }) => path);
  const newer = changed.filter(({ isThere }) => isThere);
  const tree = await withScratchDirectory(temporaryRoot, scratch =>
    writeWithout(git, objectStore, join(scratch, 'index'), commit, gone),
  );
  const overruled = newer.filter(({ path, id }) => dirty.has(path) && dirty.get(path)?.id !== id);
  return { tree, newer: newer.map(pathOf), overruled: overruled.map(pathOf) };
}

const pathOf = ({ path }: IndexChange): BytePath => path;

export interface SnapshotFiles {
  readonly objectStore: string;
  /** The snapshot. */
  readonly commit: string;
  /** What the index is compared with: what it had when the snapshot was taken. */
  readonly staged: string;
  readonly temporaryRoot: string;
}

/** The commit I of a snapshot (see snapshot-meta.ts). */
export async function findStaged(git: Git, objectStore: string, commit: string): Promise<string> {
  const parents = await readParents(git, objectStore, commit);
  return parents.at(-2) ?? (await findExtras(git, objectStore, commit));
}

interface IndexChange {
  readonly path: BytePath;
  readonly isThere: boolean;
  /** Of the content that it has now. */
  readonly id: string;
}

/** An unresolved conflict is complete only in the file, so it is not a change of the index. */
async function listIndexChanges(git: Git, place: GitOptions, tree: string): Promise<IndexChange[]> {
  const query = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev'];
  const records = await git.records([...query, '--end-of-options', tree], place);
  return Array.from({ length: records.length / 2 }, (_, at) => {
    // `:100644 100755 <id> <id> M`, then the path.
    const [, mode, , id = '', status] = (records[2 * at] ?? '').split(' ');
    const path = records[2 * at + 1] ?? '';
    return { path, id, isThere: mode !== '000000', isMerged: status !== 'U' };
  }).filter(({ isMerged: isSettled }) => isSettled);
}

async function writeWithout(
  git: Git,
  gitDir: string,
  indexFile: string,
  commit: string,
  paths: readonly BytePath[],
): Promise<string> {
  await git.run(['read-tree', commit], { gitDir, indexFile });
  const id = '0'.repeat(commit.length);
  return writeTree(git, gitDir, indexFile, {
    removed: paths.map(path => ({ path, mode: '0', id })),
    added: [],
  });
}
