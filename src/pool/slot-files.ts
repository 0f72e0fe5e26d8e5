import type { SlotKind, SlotRecord } from '../domain/slot.js';

/**
 * How the files of one kind of slot come to be, come back and go. A slot's directory holds `tree/` (the files), `git/`
 * (its own git directory) and `index`, the index as it was when the slot was last proven clean: what the user of the slot
 * does to git's own index hides nothing from the next reset.
 */
export interface SlotFiles {
  readonly kind: SlotKind;
  /** Why slots of this kind can't be had in a directory; null when they can. Probed once for each place. */
  findObstacle(directory: string, commonDir: string): Promise<string | null>;
  /** Makes the files at the slot's commit. The directory does not exist. */
  make(slot: SlotRecord, signal?: AbortSignal): Promise<void>;
  /** Brings a clean slot to another commit; with the same one it only makes sure that the files are there. */
  retarget(slot: SlotRecord, commit: string, signal?: AbortSignal): Promise<void>;
  /**
   * Brings a slot back to its commit and proves it. Everything that differed is first moved to `aside`, a directory
   * on the same file system that does not exist: `tree/`, `git/`, and whatever `Remains` says of them.
   */
  reset(slot: SlotRecord, aside: string, keep: KeptCaches): Promise<ResetFindings>;
  /** Deletes the slot's directory; what is slow about it is left to the background by moving it to `aside`. */
  destroy(slot: SlotRecord, aside: string): Promise<void>;
}

/** Ignored directories that stay, by the digest of the lock files that they were made from. */
export interface KeptCaches {
  readonly paths: readonly string[];
}

export interface ResetFindings {
  /** Null when the slot is proven clean, otherwise what speaks against it. */
  readonly problem: string | null;
  /** Whether anything lies in `aside` that a snapshot should hold. */
  readonly hasWork: boolean;
  readonly isPartial: boolean;
  /** See `Remains`. */
  readonly lower: string | null;
  /** The caches that stayed, for the slot's record. */
  readonly caches: Readonly<Record<string, string>>;
}
