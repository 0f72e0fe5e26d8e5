import type { ProcessIdentity } from '../domain/process-identity.js';
import type { SlotKind, SlotRecord } from '../domain/workspace/slot.js';

/**
 * The warm workspaces of one repository, shared by all processes through the store. A slot is handed out with a lease,
 * and reclaimed only when it is proven clean: the next lease sees nothing of the last one.
 */
export interface WorkspacePool {
  /** Makes slots until `count` are free at `commit`, within the cap and the limits of the disk. Returns how many are. */
  warmup(count: number, commit: string, options?: WarmupOptions): Promise<number>;
  /**
   * A slot at `commit`: a free one, a new one while there are fewer than the cap, or the next that comes free, in the
   * order of request. ACQUIRE_TIMED_OUT, POOL_CLOSED, POOL_UNSUPPORTED, LIMIT_REACHED.
   */
  acquire(request: AcquireRequest): Promise<WorkspaceLease>;
  /**
   * Resets a leased slot to its commit and keeps the lease. Its work is handled as in `release`. STALE_LEASE
   * when the lease is not the slot's present one; SLOT_QUARANTINED when it can't be proven clean.
   */
  reset(leaseId: string, options?: ReleaseOptions): Promise<void>;
  /** Hands the lease to another process; it is reclaimed when that one is dead. STALE_LEASE. */
  handOver(leaseId: string, owner: ProcessIdentity): Promise<void>;
  /** Returns a slot. When it cannot be proven clean it is quarantined, which is an outcome and not an error. */
  release(leaseId: string, options?: ReleaseOptions): Promise<ReleaseOutcome>;
  /**
   * Removes a free slot from the pool to make a workspace of it; undefined when there is none. The
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
  stats(): Promise<WorkspacePoolStats>;
}

export interface WarmupOptions {
  /** Only this kind counts and is made; the fastest of those that the machine can do by default. */
  readonly kind?: SlotKind | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Which commit to lease a slot at, who leases it, and how long to wait. */
export interface AcquireRequest {
  /** A full commit id that the repository has. */
  readonly commit: string;
  /** The name of the caller, as text. */
  readonly holder: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Only this kind; the faster of those that the machine can do by default. */
  readonly kind?: SlotKind | undefined;
}

/** A leased slot of the pool: where its files are, and the id that `release` takes. */
export interface WorkspaceLease {
  /** For the environment of what is started in it, as CARREL_COMMAND_ID: so it can be found and killed anywhere. */
  readonly id: string;
  readonly slotId: string;
  /** The files. */
  readonly path: string;
  /** The slot's own git directory; git finds it from the files. */
  readonly gitDir: string;
  readonly commit: string;
  readonly kind: SlotKind;
  /** Whether a slot was there already. */
  readonly isWarm: boolean;
}

/** Whether to keep the work that is found in a slot. */
export interface ReleaseOptions {
  /**
   * `keep`, the default: work that is found becomes a snapshot. `discard`: the caller has what it needs and discards the rest.
   * The rest is deleted.
   */
  readonly work?: 'keep' | 'discard' | undefined;
}

/** Whether a released slot is free again or in quarantine, and the snapshot of the work found in it. */
export interface ReleaseOutcome {
  readonly status: 'free' | 'quarantined';
  readonly reason: string | null;
  /** Of the snapshot that holds what was found, or will as soon as it is captured; null when there was nothing. */
  readonly snapshotId: string | null;
  /**
   * Directories that tools make again, such as node_modules, that were left in the slot: gone, and in no snapshot. Not
   * listed with `discard`.
   */
  readonly dropped: readonly string[];
}

/** How many slots `drain` destroyed, and how many are in use. */
export interface DrainOutcome {
  readonly destroyed: number;
  /** Slots in use now. */
  readonly busy: number;
}

/** How many slots of a pool are in which state, and how many callers wait. */
export interface WorkspacePoolStats {
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
