import type { ProcessIdentity } from '../process-identity.js';

/**
 * One warm workspace of a repository's pool: files at a commit, with their own git directory that borrows the
 * repository's objects. The only trace in the repository is a ref that keeps its commit.
 */
export interface SlotRecord {
  readonly id: string;
  readonly repositoryId: string;
  /** The main work tree of the repository; real path. */
  readonly repository: string;
  readonly commonDir: string;
  /** Contains `tree/` and `git/`, and for an overlay its layers. */
  readonly directory: string;
  readonly kind: SlotKind;
  readonly status: SlotStatus;
  /** The commit of the files when it is free, otherwise the commit at the start of the lease. */
  readonly commit: string;
  readonly lease: SlotLease | null;
  /** The process that works on it; null when none does (free, quarantined). When it is dead, any process may clean up. */
  readonly owner: ProcessIdentity | null;
  /** The conversions (line endings, filters) that its files were written under, as a digest; unknown when absent. */
  readonly conversions?: string;
  /** The checksum of its pristine index, which is in a directory that agents can write; unknown when absent. */
  readonly pristine?: string | undefined;
  /** Caches in it: the directory, and the digest of the lock files that it was built from. */
  readonly caches: Readonly<Record<string, string>>;
  /** Why it is in quarantine. */
  readonly reason: string | null;
  readonly createdAt: string;
  readonly changedAt: string;
}

export type SlotKind = 'checkout' | 'overlay';

/**
 * `creating` → `free` → `leased` → `resetting` → `free`, or `adopting` when it becomes a workspace, or `destroying`.
 * `quarantined`: could not be verified as clean; never leased again.
 */
export type SlotStatus =
  | 'creating'
  | 'free'
  | 'leased'
  | 'resetting'
  | 'adopting'
  | 'quarantined'
  | 'destroying';

/** The right to use a slot. Every lease has a new id. */
export interface SlotLease {
  readonly id: string;
  readonly holder: string;
  readonly since: string;
}
