import type { ProcessIdentity } from '../process-identity.js';
import type { SnapshotReason } from './snapshot.js';

/**
 * Files that were moved aside and are not deleted yet. `holds` decides what happens first: `work` is captured as the
 * snapshot with this id; `nothing` is checked once more, and captured if another process wrote at the last moment;
 * `rubbish` is deleted.
 */
export interface Remains {
  /** The id of the snapshot that they become. */
  readonly id: string;
  /** Contains `tree/`, and `git/` when the files are to be captured. */
  readonly directory: string;
  readonly holds: 'work' | 'nothing' | 'rubbish';
  /**
   * True when `tree/` has only the files that differ from the commit they started at; the file `removed` beside it then
   * lists the deleted ones, NUL-separated.
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
  /** The process that handles them; when it is dead, any process may. */
  readonly owner: ProcessIdentity;
  /** Why the owner gave up; any process may try again. Absent while the owner is still trying. */
  readonly failure?: string;
}
