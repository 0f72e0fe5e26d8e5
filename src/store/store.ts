import type { CarrelEvent, NewEvent } from '../domain/event.js';
import type { JournalEntry } from '../domain/journal.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { Remains } from '../domain/snapshot/remains.js';
import type { Snapshot } from '../domain/snapshot/snapshot.js';
import type { TaskRecord, TaskStatus } from '../domain/task/task.js';
import type { SlotLease, SlotRecord, SlotStatus } from '../domain/workspace/slot.js';
import type { WorkspaceRecord, WorkspaceStatus } from '../domain/workspace/workspace.js';

/**
 * What Carrel remembers. Every change takes the events that describe it and appends them in the same transaction; a
 * change that fails, or finds nothing to change, appends none. Several processes use one store at the same time and
 * wait while the database is busy. Errors: STORE_BUSY after the wait, STORE_CORRUPT, DISK_FULL, STATE_NOT_WRITABLE.
 */
export interface Store extends Tables {
  /**
   * Several changes in one transaction: all of them happen, or none when the action throws. The action may run again
   * when the database was busy, so it does nothing but call the tables that it is given.
   */
  atomically<T>(action: (tables: Tables) => Promise<T>): Promise<T>;
  /** Where the data is, for messages. */
  readonly location: string;
  /** Whether nothing can be written, because the disk is full; then every change is DISK_FULL. */
  readonly isReadOnly: boolean;
  /** Writes a copy of the data next to it and returns its path. `label` names the operation it was kept for. */
  copy(label: string): Promise<string>;
  /** Rows that cannot be read. Lists leave them out, so that one bad row hides no other. */
  readonly damaged: DamagedRows;
  /** Waits for running calls. Idempotent; any later use is an INTERNAL error. */
  close(): Promise<void>;
}

export interface DamagedRow {
  readonly table: 'workspaces' | 'snapshots' | 'journal' | 'remains' | 'slots' | 'tasks';
  readonly id: string;
  readonly problem: string;
}

export interface DamagedRows {
  list(): Promise<DamagedRow[]>;
  /** Removes the row if it still cannot be read; its object must be recorded again. */
  remove(row: DamagedRow): Promise<void>;
}

export interface Tables {
  readonly workspaces: WorkspaceTable;
  readonly snapshots: SnapshotTable;
  readonly events: EventTable;
  readonly journal: JournalTable;
  readonly locks: LockTable;
  readonly ports: PortTable;
  readonly trust: TrustTable;
  readonly commands: CommandTable;
  readonly slots: SlotTable;
  readonly remains: RemainsTable;
  readonly tasks: TaskTable;
}

export interface WorkspaceTable {
  /**
   * WORKSPACE_EXISTS when the repository has one of that name or the path is taken, in upper or lower case, or a task
   * other than its own has reserved either. Several `direct` workspaces may share a path.
   */
  insert(record: WorkspaceRecord, events: readonly NewEvent[]): Promise<void>;
  find(id: string): Promise<WorkspaceRecord | undefined>;
  /** Oldest first. */
  list(filter?: { readonly repositoryId?: string }): Promise<WorkspaceRecord[]>;
  /** The paths of all workspaces, and those that tasks have reserved. */
  takenPaths(): Promise<string[]>;
  /**
   * Changes fields of a workspace whose status is `expected` and returns the new record; undefined, and no event, when
   * it does not exist or has another status. WORKSPACE_EXISTS as for `insert`.
   */
  update(
    id: string,
    expected: WorkspaceStatus,
    patch: Partial<Omit<WorkspaceRecord, 'id'>>,
    events: readonly NewEvent[],
  ): Promise<WorkspaceRecord | undefined>;
  /** Sets or clears the lease when the current lease id is `expected` (null: not leased). False otherwise. */
  setLease(
    id: string,
    expected: string | null,
    lease: WorkspaceRecord['lease'],
    events: readonly NewEvent[],
  ): Promise<boolean>;
  /** Moves lastActivityAt forward; no event. */
  touch(id: string, at: string): Promise<void>;
  /** Deletes the record, its ports and its running commands. False when it did not exist. */
  remove(id: string, events: readonly NewEvent[]): Promise<boolean>;
}

export interface SnapshotTable {
  insert(snapshot: Snapshot, events: readonly NewEvent[]): Promise<void>;
  find(id: string): Promise<Snapshot | undefined>;
  /** Newest first. */
  list(filter?: {
    readonly repositoryId?: string;
    readonly workspaceName?: string;
    readonly workspaceId?: string;
  }): Promise<Snapshot[]>;
  /** SNAPSHOT_NOT_FOUND when it does not exist. */
  update(id: string, patch: Partial<Omit<Snapshot, 'id'>>, events: readonly NewEvent[]): Promise<void>;
  remove(id: string, events: readonly NewEvent[]): Promise<void>;
}

export interface EventTable {
  append(events: readonly NewEvent[]): Promise<void>;
  /** Events with a sequence above `after`, oldest first. */
  list(filter: {
    readonly after?: number;
    readonly workspaceId?: string;
    readonly taskId?: string;
    readonly limit: number;
  }): Promise<CarrelEvent[]>;
  /** The sequence of the newest event; 0 when there is none. */
  last(): Promise<number>;
  /**
   * The latest time that one of the newest thousand events was recorded at, from the last `clock.trusted` on; null when
   * there is none. Not that of the newest event: the clock may have been set back before it.
   */
  latestTime(): Promise<string | null>;
}

export interface JournalTable {
  begin(entry: JournalEntry): Promise<void>;
  /**
   * Records that a step is done and merges `data` into the entry's. OPERATION_LOST when it no longer belongs to this
   * owner, or is gone: another process has finished or undone it.
   */
  advance(
    id: string,
    owner: ProcessIdentity,
    step: string,
    data?: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** Removes the entry; false when there is none. OPERATION_LOST when it no longer belongs to this owner. */
  finish(id: string, owner: ProcessIdentity): Promise<boolean>;
  /** Oldest first. */
  list(): Promise<JournalEntry[]>;
  /**
   * Releases an entry of `owner` to any process, this one included, because it could not be finished or undone. False
   * when it does not belong to that owner.
   */
  release(id: string, owner: ProcessIdentity): Promise<boolean>;
  /** Takes over an entry from `previous`. False when another process was first. */
  adopt(id: string, previous: ProcessIdentity, owner: ProcessIdentity): Promise<boolean>;
}

export interface Lock {
  readonly name: string;
  readonly token: string;
  readonly owner: ProcessIdentity;
  readonly acquiredAt: string;
}

export interface LockTable {
  /** The current holder. Cheap: only a read. */
  find(name: string): Promise<Lock | undefined>;
  /**
   * Takes the lock when it is free or when its holder's token is `takeOverFrom`. False when it could not be taken.
   * Atomic among processes.
   */
  acquire(lock: Lock, takeOverFrom?: string): Promise<boolean>;
  /** Releases it when `token` still holds it; otherwise does nothing. */
  release(name: string, token: string): Promise<void>;
}

export interface PortTable {
  /** First ports of all blocks that are taken, lowest first. */
  list(): Promise<number[]>;
  /** Claims the block starting at `first` for a workspace. False when it is taken. */
  claim(first: number, workspaceId: string): Promise<boolean>;
  release(workspaceId: string): Promise<void>;
}

/** The user's approval of one exact text of commands for one repository. */
export interface TrustGrant {
  readonly repositoryId: string;
  readonly repository: string;
  /** SHA-256 of the commands. */
  readonly digest: string;
  readonly commands: readonly string[];
  readonly grantedAt: string;
}

export interface TrustTable {
  /** Granting the same text again renews the grant. */
  grant(grant: TrustGrant, events: readonly NewEvent[]): Promise<void>;
  find(repositoryId: string, digest: string): Promise<TrustGrant | undefined>;
  /** Oldest first. */
  list(repositoryId?: string): Promise<TrustGrant[]>;
  /** How many were revoked. */
  revoke(repositoryId: string, events: readonly NewEvent[]): Promise<number>;
}

/** A command that Carrel started in a workspace and that may still run. */
export interface RunningCommand {
  readonly id: string;
  readonly workspaceId: string;
  readonly process: ProcessIdentity;
  readonly command: string;
  readonly startedAt: string;
}

export interface CommandTable {
  insert(command: RunningCommand): Promise<void>;
  remove(id: string): Promise<void>;
  /** Oldest first; of all workspaces when none is given. */
  list(workspaceId?: string): Promise<RunningCommand[]>;
}

/** The expected state of a task; a task in another state is not changed. */
export interface ExpectedTask {
  readonly statuses: readonly TaskStatus[];
  /** Compared when given; null means that no process works on it. */
  readonly owner?: ProcessIdentity | null | undefined;
  /**
   * Compared when given: the number of runs so far. One process may lose a task and take it again; changes of its first
   * run must not be recorded for the second.
   */
  readonly runs?: number | undefined;
}

/** The tasks of all repositories. Every change is a compare-and-swap among processes. */
export interface TaskTable {
  /**
   * A task with a `worktreePath` reserves that path and its `workspaceName` until its workspace exists or it ends:
   * WORKSPACE_EXISTS when a workspace or another task has either.
   */
  insert(task: TaskRecord, events: readonly NewEvent[]): Promise<void>;
  find(id: string): Promise<TaskRecord | undefined>;
  /**
   * Oldest first; with `newest` only the N newest, oldest of them first. Unreadable rows are left out:
   * one bad row does not stop every command.
   */
  list(filter?: {
    readonly repositoryId?: string | undefined;
    readonly statuses?: readonly TaskStatus[] | undefined;
    readonly newest?: number | undefined;
  }): Promise<TaskRecord[]>;
  /** Ids with this prefix, at most ten; for users who type a prefix. */
  findIds(prefix: string): Promise<string[]>;
  /**
   * Undefined, and no event, when the task is not as expected. WORKSPACE_EXISTS, as for `insert`, when the patch has a
   * `worktreePath`.
   */
  update(
    id: string,
    expected: ExpectedTask,
    patch: Partial<Omit<TaskRecord, 'id' | 'createdAt'>>,
    events: readonly NewEvent[],
  ): Promise<TaskRecord | undefined>;
  /**
   * Sends a heartbeat of the owner; no event. Returns whether a cancel was requested; undefined when it
   * is no longer this owner's. Cheap: a read, and a write only when the last one is five seconds old.
   */
  beat(
    id: string,
    owner: ProcessIdentity,
    at: string,
  ): Promise<{ readonly cancelRequested: boolean } | undefined>;
  /** False when it did not exist. */
  remove(id: string): Promise<boolean>;
}

/** The expected state of a slot; a slot in another state is not changed. */
export interface ExpectedSlot {
  readonly status: SlotStatus;
  /** Compared when given; null means not leased. */
  readonly leaseId?: string | null;
  /** Compared when given; null means that no process works on it. */
  readonly owner?: ProcessIdentity | null;
}

/** The slots of all pools. Every change is a compare-and-swap among processes. */
export interface SlotTable {
  /** False when the repository already has `cap` slots, not counting quarantined ones. Atomic among processes. */
  insert(slot: SlotRecord, cap: number, events: readonly NewEvent[]): Promise<boolean>;
  find(id: string): Promise<SlotRecord | undefined>;
  findByLease(leaseId: string): Promise<SlotRecord | undefined>;
  /**
   * Oldest first. Unreadable rows are not included: `damaged` names them, so that one bad row does not stop the pool
   * and is never leased.
   */
  list(repositoryId?: string): Promise<{ readonly slots: SlotRecord[]; readonly damaged: string[] }>;
  /**
   * Takes one free slot of the repository, preferably at `commit`, then the most recently used, and returns it with the
   * patch applied; undefined when none is free. Only `kind` when given.
   */
  claimFree(
    repositoryId: string,
    wanted: { readonly commit: string; readonly kind?: SlotRecord['kind'] },
    patch: {
      readonly status: SlotStatus;
      readonly owner: ProcessIdentity;
      readonly lease: SlotLease | null;
      readonly changedAt: string;
    },
    events: readonly NewEvent[],
  ): Promise<SlotRecord | undefined>;
  /** Undefined, and no event, when the slot is not as expected. */
  update(
    id: string,
    expected: ExpectedSlot,
    patch: Partial<Omit<SlotRecord, 'id'>>,
    events: readonly NewEvent[],
  ): Promise<SlotRecord | undefined>;
  remove(id: string, expected: ExpectedSlot, events: readonly NewEvent[]): Promise<boolean>;
  /** Removes a row that can't be read. */
  removeDamaged(id: string): Promise<void>;
}

/** Files that were moved aside and still have to be captured or deleted. */
export interface RemainsTable {
  insert(remains: Remains): Promise<void>;
  find(id: string): Promise<Remains | undefined>;
  /** Those with a readable record, oldest first. */
  list(repositoryId?: string): Promise<Remains[]>;
  /** The ids of the others. */
  listDamaged(): Promise<string[]>;
  /**
   * Hands them over if owner and failure are as expected: only one of several processes gets them. Returns their
   * current state, without the failure.
   */
  adopt(
    seen: Pick<Remains, 'id' | 'owner' | 'failure'>,
    owner: ProcessIdentity,
  ): Promise<Remains | undefined>;
  /** False when they do not exist, or belong to another process by now. */
  update(own: Pick<Remains, 'id' | 'owner'>, patch: Partial<Omit<Remains, 'id' | 'owner'>>): Promise<boolean>;
  remove(id: string): Promise<void>;
}
