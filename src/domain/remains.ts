import type { ProcessIdentity } from './process-identity.js';
import type { SnapshotReason } from './snapshot.js';

/**
 * Files that were moved out of everybody's reach and are yet to be deleted. What `holds` says decides what has to happen
 * before: `work` is captured as the snapshot of this id; `nothing` is looked at once more, and captured after all when
 * somebody wrote in the last moment; `rubbish` is deleted.
 */
export interface Remains {
  /** The id of the snapshot that they become. */
  readonly id: string;
  /** Holds `tree/`, and `git/` when they are to be captured. */
  readonly directory: string;
  readonly holds: 'work' | 'nothing' | 'rubbish';
  /**
   * True when `tree/` has only the files that differ from the commit at which they began; the file `removed` beside
   * it then lists those that were deleted, NUL-separated.
   */
  readonly isPartial: boolean;
  /** Of an overlay: `tree/` is to be mounted from this lower layer and `upper/` beside it; null for ordinary files. */
  readonly lower: string | null;
  readonly repositoryId: string;
  readonly repository: string;
  readonly commonDir: string | null;
  /** What they were, for the snapshot's record. */
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly branch: string | null;
  readonly base: { readonly ref: string | null; readonly commit: string | null };
  readonly reason: SnapshotReason;
  readonly createdAt: string;
  /** Who settles them; when that process is dead, anybody may. */
  readonly owner: ProcessIdentity;
  /** Why the owner could not and does no more about it: anybody may try again. Absent while there is hope. */
  readonly failure?: string;
}
