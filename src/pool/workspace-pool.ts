import type { ProcessIdentity } from '../domain/process-identity.js';
import type { SlotKind, SlotRecord } from '../domain/slot.js';

/**
 * The warm workspaces of one repository, shared by all processes through the store. A slot is handed out with a lease,
 * and taken back only when it was proven to be as it was: nothing of one lease is seen by the next.
 */
export interface WorkspacePool {
  /** Makes slots until `count` are free at `commit`, within the cap and the limits of the disk. Gives how many are. */
  warmup(count: number, commit: string, options?: WarmupOptions): Promise<number>;
  /**
   * A slot at `commit`: a free one, a new one while there are fewer than the cap, or the next that comes free, in the
   * order of asking. ACQUIRE_TIMED_OUT, POOL_CLOSED, POOL_UNSUPPORTED, LIMIT_REACHED.
   */
  acquire(request: AcquireRequest): Promise<WorkspaceLease>;
  /**
   * Brings a leased slot back to its commit and keeps the lease. What was in it goes where `release` puts it. STALE_LEASE
   * when the lease is not the slot's present one; SLOT_QUARANTINED when it can't be proven clean.
   */
  reset(leaseId: string, options?: ReleaseOptions): Promise<void>;
  /** Makes the lease another process's, which is taken back when that one is dead. STALE_LEASE. */
  handOver(leaseId: string, owner: ProcessIdentity): Promise<void>;
  /** Gives a slot back. When it can't be proven clean it is quarantined, which is an outcome and not an error. */
  release(leaseId: string, options?: ReleaseOptions): Promise<ReleaseOutcome>;
  /**
   * Takes a free slot out of the pool for good, for whoever makes a workspace of it; undefined when there is none. The
   * slot is `adopting` until `forget`; when the process dies before that, what is left in its directory is deleted.
   */
  adopt(commit: string): Promise<SlotRecord | undefined>;
  /** Removes the record of an adopted slot and what is left of its directory. */
  forget(slotId: string): Promise<void>;
  /**
   * Destroys every slot that is free or in quarantine, or only those that were not used for so long, and refuses new
   * leases of this object; waiters are rejected.
   */
  drain(unusedForMs?: number): Promise<DrainOutcome>;
  stats(): Promise<PoolStats>;
}

export interface WarmupOptions {
  /** Only this kind counts and is made; the fastest of those that the machine can do by default. */
  readonly kind?: SlotKind | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface AcquireRequest {
  /** A full commit id that the repository has. */
  readonly commit: string;
  /** Who asks, in words. */
  readonly holder: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Only this kind; the faster of those that the machine can do by default. */
  readonly kind?: SlotKind | undefined;
}

export interface WorkspaceLease {
  /** For the environment of what is started in it, as CARREL_COMMAND_ID: so it is found and ended wherever it goes. */
  readonly id: string;
  readonly slotId: string;
  /** The files. */
  readonly path: string;
  /** The slot's own git directory; git finds it from the files by itself. */
  readonly gitDir: string;
  readonly commit: string;
  readonly kind: SlotKind;
  /** Whether a slot was there already. */
  readonly isWarm: boolean;
}

export interface ReleaseOptions {
  /**
   * `keep`, the default: work that is found becomes a snapshot. `discard`: the caller has what it wants of it, and says
   * so.
   */
  readonly work?: 'keep' | 'discard' | undefined;
}

export interface ReleaseOutcome {
  readonly status: 'free' | 'quarantined';
  readonly reason: string | null;
  /** Of the snapshot that holds what was found, or will as soon as it is captured; null when there was nothing. */
  readonly snapshotId: string | null;
}

export interface DrainOutcome {
  readonly destroyed: number;
  /** Slots that somebody uses now. */
  readonly busy: number;
}

export interface PoolStats {
  readonly total: number;
  readonly free: number;
  readonly leased: number;
  readonly quarantined: number;
  /** Being made, reset, adopted or destroyed at this moment. */
  readonly changing: number;
  /** Callers of this process that wait for a slot. */
  readonly waiting: number;
  readonly cap: number;
}
