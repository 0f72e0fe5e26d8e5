import type { BytePath } from '../../byte-path.js';
import type { IgnoredLimits, Omitted } from '../../files/ignored-files.js';
import type { SnapshotHead } from '../snapshot-meta.js';

export type SnapshotLimits = IgnoredLimits;

export interface CaptureWorkTreeRequest {
  /** Where the snapshot is pinned; must not exist, except as `replaces`. */
  readonly ref: string;
  /** What the ref holds now, of an earlier attempt. */
  readonly replaces?: string | undefined;
  /** What HEAD pointed to, with its tip, when the git directory no longer has it. */
  readonly head?: SnapshotHead | undefined;
  /**
   * The tracked files that were deleted, when the work tree has only the files that differ: all others that are not
   * there are as the index has them.
   */
  readonly removed?: ReadonlySet<BytePath> | undefined;
  readonly message: string | null;
  readonly limits: SnapshotLimits;
  /** A branch whose tip is kept too, independent of HEAD. */
  readonly branch?: string | null | undefined;
  /** Further commits to keep, such as the one that the work started from. */
  readonly commits?: readonly string[] | undefined;
  /** A git directory to keep as plain files, if any (see private-git.ts). */
  readonly privateGitDir?: string | undefined;
  /** How much of it is kept; 2 GiB by default. */
  readonly privateGitBytes?: number | undefined;
  /** A home that is kept like ignored files (see private-home.ts). */
  readonly privateHome?: string | undefined;
  /**
   * Where to store the part that git must never push (see kept-store.ts). Without one it goes into the repository, as in
   * earlier versions.
   */
  readonly keptDir?: string | undefined;
  /** Called when that part is pinned. */
  readonly onKept?: (() => void) | undefined;
  readonly now: Date;
  /** Where scratch files may go; a directory that exists. */
  readonly temporaryRoot: string;
}

export interface Captured {
  readonly commit: string;
  /** The commit with the part stored separately, if any. */
  readonly kept?: string | undefined;
  /** Changed, untracked, ignored and nested files that it holds, and deletions. */
  readonly files: number;
  readonly omitted: readonly Omitted[];
  /** What other programs changed during every capture attempt; absent when nothing changed. */
  readonly changing?: readonly string[] | undefined;
}
