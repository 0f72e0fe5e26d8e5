import type { BytePath } from '../byte-path.js';
import type { IgnoredLimits, Omitted } from '../work-tree/ignored.js';
import type { SnapshotHead } from './snapshot-meta.js';

export type SnapshotLimits = IgnoredLimits;

export interface CaptureWorkTreeRequest {
  /** Where the snapshot is pinned; must not exist, unless as what it replaces. */
  readonly ref: string;
  /** What the ref holds now, of an earlier attempt. */
  readonly replaces?: string | undefined;
  /** What HEAD stood for, with its own tip, when the git directory can no longer tell. */
  readonly head?: SnapshotHead | undefined;
  /**
   * The tracked files that were deleted, when the work tree has only the files that differ: all others that are not
   * there are as the index has them.
   */
  readonly removed?: ReadonlySet<BytePath> | undefined;
  readonly message: string | null;
  readonly limits: SnapshotLimits;
  /** A branch whose tip is to be kept too, wherever HEAD is. */
  readonly branch?: string | null | undefined;
  /** Further commits that have to stay with it, such as the one that the work began at. */
  readonly commits?: readonly string[] | undefined;
  /** A git directory that is kept as plain files beside all else, where there is one (see private-git.ts). */
  readonly privateGitDir?: string | undefined;
  /** How much of it is kept; 2 GiB by default. */
  readonly privateGitBytes?: number | undefined;
  /** A home that is kept like ignored files (see private-home.ts). */
  readonly privateHome?: string | undefined;
  readonly now: Date;
  /** Where scratch files may go; a directory that exists. */
  readonly temporaryRoot: string;
}

export interface Captured {
  readonly commit: string;
  /** Changed, untracked, ignored and nested files that it holds, and deletions. */
  readonly files: number;
  readonly omitted: readonly Omitted[];
}
