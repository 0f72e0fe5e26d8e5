import type { IgnoredLimits, Omitted } from '../work-tree/ignored.js';

export type SnapshotLimits = IgnoredLimits;

export interface CaptureWorkTreeRequest {
  /** Where the snapshot is pinned; must not exist. */
  readonly ref: string;
  readonly message: string | null;
  readonly limits: SnapshotLimits;
  /** A branch whose tip is to be kept too, wherever HEAD is. */
  readonly branch?: string | null | undefined;
  /** Further commits that have to stay with it, such as the one that the work began at. */
  readonly commits?: readonly string[] | undefined;
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
