import type { ProcessIdentity } from './process-identity.js';

/**
 * One warm workspace of a repository's pool: files at a commit, with a git directory of their own that borrows the
 * repository's objects. Nothing in the repository knows of it but a ref that keeps its commit.
 */
export interface SlotRecord {
  readonly id: string;
  readonly repositoryId: string;
  /** The main work tree of the repository; real path. */
  readonly repository: string;
  readonly commonDir: string;
  /** Holds `tree/` and `git/`, and for an overlay its layers. */
  readonly directory: string;
  readonly kind: SlotKind;
  readonly status: SlotStatus;
  /** Where the files stand when it is free, and where the lease began otherwise. */
  readonly commit: string;
  readonly lease: SlotLease | null;
  /** Who is at work on it; null when nobody is (free, quarantined). When that process is dead, anybody may settle it. */
  readonly owner: ProcessIdentity | null;
  /** The conversions (line endings, filters) that its files were written under, as a digest; unknown when absent. */
  readonly conversions?: string;
  /** Kept caches that lie in it: the directory and the digest of the lock files that it was made from. */
  readonly caches: Readonly<Record<string, string>>;
  /** Why it is in quarantine. */
  readonly reason: string | null;
  readonly createdAt: string;
  readonly changedAt: string;
}

export type SlotKind = 'checkout' | 'overlay';

/**
 * `creating` → `free` → `leased` → `resetting` → `free`, or `adopting` when it becomes somebody's workspace, or
 * `destroying`. `quarantined`: could not be proven clean; never handed out again.
 */
export type SlotStatus =
  | 'creating'
  | 'free'
  | 'leased'
  | 'resetting'
  | 'adopting'
  | 'quarantined'
  | 'destroying';

/** The right to use a slot. The id changes with every hand-out. */
export interface SlotLease {
  readonly id: string;
  readonly holder: string;
  readonly since: string;
}
