import { carrelError } from '../../domain/error/error.js';
import type { BytePath } from '../byte-path.js';
import type { Omitted } from '../files/ignored-files.js';
import type { Git } from '../git.js';
import { readBlob, readParents } from '../objects/read-objects.js';
import type { Modes } from './file-modes.js';

/**
 * A snapshot is one commit that plain git understands:
 *
 *     S   tree: the files as they are, byte for byte, without the ignored ones; `git diff BASE S` is the whole change
 *     ├── HEAD, when there is one
 *     ├── I   tree: what was staged
 *     └── E   tree: meta.json and the rest, in the folders below; parents: all other commits that only this work tree
 *             still knew (its reflog, the heads of a merge or rebase under way, its branch when HEAD is elsewhere)
 *
 * What git must never push is not in there but in a commit K elsewhere (see kept-store.ts), in folders of the same names:
 * all of `ignored`, `nested`, `private`, `private-jj` and `private-home`, and of `admin` what `isApart` says. Snapshots of
 * earlier versions have it in E until they are moved (see move-kept-part.ts).
 *
 * There is no separate list of digests: the trees of S, E and K are one, with a hash of every file, and the id of S
 * covers all of them, because it names E, whose meta.json names K. Permissions, empty directories and large files are in
 * meta.json. `carrel doctor --deep` compares all of this with the result of a restore (see deep/).
 */
export const FOLDERS = {
  /** Ignored files, and untracked ones whose names git refuses. */
  ignored: 'ignored',
  /** Repositories within the work tree: everything, their `.git` included. */
  nested: 'nested',
  /** Files of the work tree's own git directory, the index among them. */
  admin: 'admin',
  /** Blobs that only the index names: sides of conflicts, by stage. */
  conflicts: 'conflicts',
  resolved: 'resolved',
  /** The private git directory of a sandboxed workspace. */
  private: 'private',
  /** The data of jj in such a workspace. */
  privateJj: 'private-jj',
  /** The private home of a sandboxed workspace. */
  privateHome: 'private-home',
} as const;

const APART_FOLDERS: ReadonlySet<string> = new Set([
  FOLDERS.ignored,
  FOLDERS.nested,
  FOLDERS.private,
  FOLDERS.privateJj,
  FOLDERS.privateHome,
]);

/**
 * Whether a path in E or K is something that git must never push: it may hold secrets that are in no commit. Configuration may
 * name credentials, as that of a git directory of a submodule does.
 */
export function isApart(path: BytePath): boolean {
  if (APART_FOLDERS.has(path.slice(0, path.indexOf('/')))) return true;
  return path === `${FOLDERS.admin}/config.worktree` || path.startsWith(`${FOLDERS.admin}/modules/`);
}

export const META_FILE = 'meta.json';
const VERSION = 1;

/** What git does not record about files. Paths are byte paths, relative to the work tree. */
export interface SnapshotMeta {
  readonly head: SnapshotHead;
  /** The tip of the workspace's branch, if requested and present. */
  readonly branchTip: string | null;
  /** False when the directory was already gone; then the files are those of the index. */
  readonly isPresent: boolean;
  readonly modes: Modes;
  readonly emptyDirectories: readonly BytePath[];
  /** In the tree but not on the disk: outside of a sparse checkout. */
  readonly absent: readonly BytePath[];
  /** Unchanged large files, which git knows by a pointer: their content is in the repository's LFS store. */
  readonly largeFiles: readonly { readonly path: BytePath; readonly oid: string }[];
  /** Nested repositories whose git directory lay in the work tree's own and is now their `.git`. */
  readonly absorbed: readonly BytePath[];
  readonly omitted: readonly Omitted[];
  /** The commit K; absent when there is nothing to store separately. */
  readonly kept?: string | undefined;
  /** The snapshot that this one was created from when K was moved out of it. */
  readonly movedFrom?: string | undefined;
  /** The index is not among the files: it equals the tree of HEAD and is rebuilt from it. */
  readonly hasPlainIndex?: boolean;
  /** The index could not be read and is not among the files; I is the tree of HEAD, and the index is rebuilt from it. */
  readonly hasUnreadableIndex?: boolean;
  /** Only of files that were written in a sandbox (see work-tree/foreign-files.ts). */
  readonly foreign?: ForeignMeta;
}

export interface ForeignMeta {
  /** Directories with a `.git` made in the sandbox. */
  readonly repositories: readonly BytePath[];
  readonly privateGit: PrivateGitMeta | null;
  /** Only where there was a jj inside. */
  readonly privateJj?: PrivateGitMeta | null;
  readonly privateHome?: PrivateHomeMeta | null;
}

export interface PrivateGitMeta {
  readonly emptyDirectories: readonly BytePath[];
}

export interface PrivateHomeMeta {
  readonly emptyDirectories: readonly BytePath[];
  readonly modes: Modes;
}

export interface SnapshotHead {
  /** Full name of the ref that HEAD pointed to; null when detached. */
  readonly ref: string | null;
  /** The same as a branch name; null when detached or not a branch. */
  readonly branch: string | null;
  /** Null on an unborn branch. */
  readonly commit: string | null;
}

export function formatMeta<Meta extends object>(meta: Meta): Buffer {
  return Buffer.from(`${JSON.stringify({ version: VERSION, ...meta })}\n`, 'utf8');
}

/** SNAPSHOT_BROKEN when the commit is not a snapshot, or has an unknown version. */
export async function readSnapshotMeta(git: Git, objectStore: string, commit: string): Promise<SnapshotMeta> {
  const content = await readBlob(git, objectStore, await findExtras(git, objectStore, commit), META_FILE);
  return parseMeta<SnapshotMeta>(content, commit);
}

/** The commit E of a snapshot. */
export async function findExtras(git: Git, objectStore: string, commit: string): Promise<string> {
  const extras = (await readParents(git, objectStore, commit)).at(-1);
  if (!extras) throw carrelError('SNAPSHOT_BROKEN', { id: commit, problem: 'it has no parents' });
  return extras;
}

export function parseMeta<Meta>(content: Buffer, commit: string): Meta {
  const { version, ...meta } = JSON.parse(content.toString('utf8'));
  if (version === VERSION) return meta;
  throw carrelError('SNAPSHOT_BROKEN', {
    id: commit,
    problem: `its format version is ${version}; expected ${VERSION}`,
  });
}
