import { carrelError } from '../../domain/error.js';
import type { BytePath } from '../byte-path.js';
import type { Git } from '../git.js';
import { readBlob, readParents } from '../object-reader.js';
import type { Omitted } from '../work-tree/ignored.js';
import type { Modes } from './file-modes.js';

/**
 * A snapshot is one commit that plain git understands:
 *
 *     S   tree: the files as they are, byte for byte, without the ignored ones; `git diff BASE S` is the whole change
 *     ├── HEAD, when there is one
 *     ├── I   tree: what was staged
 *     └── E   tree: meta.json and the rest, in the folders below; parents: all other commits that only this work tree
 *             still knew (its reflog, the heads of a merge or rebase under way, its branch when HEAD is elsewhere)
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
  /** The git directory that a sandboxed workspace has to itself. */
  private: 'private',
  /** What the jj of such a workspace keeps. */
  privateJj: 'private-jj',
  /** The home that a sandboxed workspace has to itself. */
  privateHome: 'private-home',
} as const;

export const META_FILE = 'meta.json';
const VERSION = 1;

/** What git can't say about files. Paths are byte paths, relative to the work tree. */
export interface SnapshotMeta {
  readonly head: SnapshotHead;
  /** Where the workspace's branch was, when it was asked for and there. */
  readonly branchTip: string | null;
  /** False when the directory was gone already; then the files are those of the index. */
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
  /** The index is not among the files: it said nothing beyond the tree of HEAD, and reading that makes it again. */
  readonly hasPlainIndex?: boolean;
  /** Only of files that were written in a sandbox (see work-tree/foreign-files.ts). */
  readonly foreign?: ForeignMeta;
}

export interface ForeignMeta {
  /** Directories in which there is a `.git` of the sandbox's making. */
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
  /** Full name of the ref that HEAD stood for; null when detached. */
  readonly ref: string | null;
  /** The same as a branch name; null when detached or not a branch. */
  readonly branch: string | null;
  /** Null on an unborn branch. */
  readonly commit: string | null;
}

export function formatMeta<Meta extends object>(meta: Meta): Buffer {
  return Buffer.from(`${JSON.stringify({ version: VERSION, ...meta })}\n`, 'utf8');
}

/** SNAPSHOT_BROKEN when the commit is not a snapshot, or one of a version that is not known. */
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
    problem: `its format has version ${version}; known is ${VERSION}`,
  });
}
