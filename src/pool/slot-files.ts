import type { SlotKind, SlotRecord } from '../domain/workspace/slot.js';

/**
 * How the files of one kind of slot are created, reset and removed. A slot's directory contains `tree/` (the files), `git/`
 * (its own git directory) and `index`, the index as it was when the slot was last proven clean: what the user of the slot
 * does to git's own index hides nothing from the next reset. The caller owns the slot and has made sure that no
 * process works in it.
 */
export interface SlotFiles {
  readonly kind: SlotKind;
  /** Why slots of this kind are not available in a directory; null when they are. Probed once per directory. */
  findObstacle(directory: string, commonDir: string): Promise<string | null>;
  /** Makes the files at the slot's commit. The directory does not exist. */
  make(slot: SlotRecord, signal?: AbortSignal): Promise<void>;
  /**
   * Brings a clean slot to another commit; with the same one it only makes sure that the files are there. Caches that
   * do not fit the commit are moved to `aside`; gives those that stay.
   */
  retarget(slot: SlotRecord, commit: string, aside: string, signal?: AbortSignal): Promise<CacheDigests>;
  /**
   * Brings a slot back to its commit and proves it. Everything that differed is first moved to `aside`, a directory
   * on the same file system: `tree/`, `git/`, as described in `Remains`. It already exists when an earlier
   * reset was interrupted; then this one continues, and adds to it. It is not created when there is nothing to move.
   */
  reset(slot: SlotRecord, aside: string, keep: KeptCaches): Promise<ResetFindings>;
  /** For files that are seen through a layer below them, which is not in the slot's directory: see `Remains.lower`. */
  findLower?(slot: SlotRecord): Promise<string | null>;
  /** Moves the slot's whole directory to `aside`, which does not exist, in any state. */
  destroy(slot: SlotRecord, aside: string): Promise<void>;
}

/** Directories that stay, and the digest of the lock files that each was made from. */
export type CacheDigests = Readonly<Record<string, string>>;

/** Ignored directories that stay while the lock files that they were made from do. */
export interface KeptCaches {
  readonly paths: readonly string[];
  /** The work is discarded: nothing asks whether there was any, nor which tool directories are gone. */
  readonly discardsWork?: boolean | undefined;
}

export interface ResetFindings {
  /** Null when the slot is proven clean, otherwise why it is not. */
  readonly problem: string | null;
  /** Whether anything lies in `aside` that a snapshot should hold. */
  readonly hasWork: boolean;
  readonly isPartial: boolean;
  /** See `Remains`. */
  readonly lower: string | null;
  /** The caches that stayed, for the slot's record. */
  readonly caches: CacheDigests;
  /** See `ReleaseOutcome`. */
  readonly dropped: readonly string[];
}
