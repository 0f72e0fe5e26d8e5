import type { ProcessIdentity } from '../process-identity.js';

/** The state of a workspace's checkpoints, the snapshots that Carrel takes automatically (see operations/capture/checkpoint.ts). */
export interface CheckpointState {
  /** Fingerprint of the files at the last checkpoint, or when they were last found to be fully committed. */
  readonly fingerprint?: string | undefined;
  /** Number of files and directories in the fingerprint. */
  readonly entries?: number | undefined;
  /** Directories that snapshots leave out, such as node_modules; they are not scanned. */
  readonly passedOver?: readonly string[] | undefined;
  readonly lookedAt?: string | undefined;
  /** Milliseconds of the last scan, including its snapshot if there was one. */
  readonly tookMs?: number | undefined;
  /** Why the last one could not be taken. */
  readonly failure?: string | undefined;
  /** A process that was started to take one and has not scanned the files yet. */
  readonly pending?: ProcessIdentity | undefined;
}
