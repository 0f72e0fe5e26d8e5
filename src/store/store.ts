import type { CarrelEvent, NewEvent } from '../domain/event.js';
import type { JournalEntry } from '../domain/journal.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { Remains } from '../domain/remains.js';
import type { SlotLease, SlotRecord, SlotStatus } from '../domain/slot.js';
import type { Snapshot } from '../domain/snapshot.js';
import type { TaskRecord, TaskStatus } from '../domain/task.js';
import type { WorkspaceRecord, WorkspaceStatus } from '../domain/workspace.js';

/**
 * What Carrel remembers. Every change takes the events that tell of it and appends them in the same transaction; one
 * that fails, or finds nothing to change, appends none.
 * Several processes use one store at the same time; a busy database is waited for. Errors: STORE_BUSY after the wait,
 * STORE_CORRUPT, DISK_FULL, STATE_NOT_WRITABLE.
 */
export interface Store extends Tables {
  /**
   * Several changes as one: all of them happen, or none when the action throws. The action may be run again when the
   * database was busy, so it does nothing but call the tables that it is given.
   */
  atomically<T>(action: (tables: Tables) => Promise<T>): Promise<T>;
  /** Where the data is, for messages. */
  readonly location: string;
  /** Waits for what has begun. Idempotent; any later use is an INTERNAL error. */
  close(): Promise<void>;
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
   * WORKSPACE_EXISTS when the repository has one of that name or the path is taken, in upper or lower case. Several
   * `direct` workspaces may share a path.
   */
  insert(record: WorkspaceRecord, events: readonly NewEvent[]): Promise<void>;
  find(id: string): Promise<WorkspaceRecord | undefined>;
  /** Oldest first. */
  list(filter?: { readonly repositoryId?: string }): Promise<WorkspaceRecord[]>;
  /**
   * Changes fields of a workspace whose status is `expected` and gives the new record; undefined, and no event, when
   * it is not there or has another status. WORKSPACE_EXISTS as for `insert`.
   */
  update(
    id: string,
    expected: WorkspaceStatus,
    patch: Partial<Omit<WorkspaceRecord, 'id'>>,
    events: readonly NewEvent[],
  ): Promise<WorkspaceRecord | undefined>;
  /** Sets or clears the lease when the present lease id is `expected` (null: not leased). False when it is not. */
  setLease(
    id: string,
    expected: string | null,
    lease: WorkspaceRecord['lease'],
    events: readonly NewEvent[],
  ): Promise<boolean>;
  /** Moves lastActivityAt forward; no event. */
  touch(id: string, at: string): Promise<void>;
  /** Deletes the record, its ports and its running commands. False when it was not there. */
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
  /** SNAPSHOT_NOT_FOUND when it is not there. */
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
}

export interface JournalTable {
  begin(entry: JournalEntry): Promise<void>;
  /** Records that a step is done and merges `data` into the entry's. INTERNAL when there is no such entry. */
  advance(id: string, step: string, data?: Readonly<Record<string, unknown>>): Promise<void>;
  finish(id: string): Promise<void>;
  /** Oldest first. */
  list(): Promise<JournalEntry[]>;
  /** Takes over an entry from `previous`. False when somebody else was first. */
  adopt(id: string, previous: ProcessIdentity, owner: ProcessIdentity): Promise<boolean>;
}

export interface Lock {
  readonly name: string;
  readonly token: string;
  readonly owner: ProcessIdentity;
  readonly acquiredAt: string;
}

export interface LockTable {
  /** The present holder. Cheap: a read only. */
  find(name: string): Promise<Lock | undefined>;
  /**
   * Takes the lock when nobody has it or when its holder's token is `takeOverFrom`. False when it could not be taken.
   * Atomic among processes.
   */
  acquire(lock: Lock, takeOverFrom?: string): Promise<boolean>;
  /** Gives it back when `token` still holds it; otherwise nothing. */
  release(name: string, token: string): Promise<void>;
}

export interface PortTable {
  /** First ports of all blocks that are taken, lowest first. */
  list(): Promise<number[]>;
  /** Claims the block beginning at `first` for a workspace. False when it is taken. */
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
  /** Oldest first. */
  list(workspaceId: string): Promise<RunningCommand[]>;
}

/** What a change of a task expects to find; one that is otherwise is left alone. */
export interface ExpectedTask {
  readonly statuses: readonly TaskStatus[];
  /** Compared when given; null means nobody works on it. */
  readonly owner?: ProcessIdentity | null | undefined;
}

/** The tasks of all repositories. Every change is a compare-and-swap among processes. */
export interface TaskTable {
  insert(task: TaskRecord, events: readonly NewEvent[]): Promise<void>;
  find(id: string): Promise<TaskRecord | undefined>;
  /**
   * Oldest first; with `newest` the newest so many, oldest of them first. A row that can't be read is not among them:
   * one bad row does not stop every command.
   */
  list(filter?: {
    readonly repositoryId?: string | undefined;
    readonly statuses?: readonly TaskStatus[] | undefined;
    readonly newest?: number | undefined;
  }): Promise<TaskRecord[]>;
  /** Ids that begin so, at most ten; for people who type the beginning. */
  findIds(prefix: string): Promise<string[]>;
  /** Undefined, and no event, when the task is not as expected. */
  update(
    id: string,
    expected: ExpectedTask,
    patch: Partial<Omit<TaskRecord, 'id' | 'repositoryId' | 'createdAt'>>,
    events: readonly NewEvent[],
  ): Promise<TaskRecord | undefined>;
  /**
   * Shows that the owner is there; no event. Tells whether somebody asked for the task to be cancelled; undefined when it
   * is no longer this owner's. Cheap: a read, and a write only when the last one is five seconds old.
   */
  beat(
    id: string,
    owner: ProcessIdentity,
    at: string,
  ): Promise<{ readonly cancelRequested: boolean } | undefined>;
  /** False when it was not there. */
  remove(id: string): Promise<boolean>;
}

/** What a change expects to find; a slot that is otherwise is left alone. */
export interface ExpectedSlot {
  readonly status: SlotStatus;
  /** Compared when given; null means not leased. */
  readonly leaseId?: string | null;
  /** Compared when given; null means nobody is at work on it. */
  readonly owner?: ProcessIdentity | null;
}

/** The slots of all pools. Every change is a compare-and-swap among processes. */
export interface SlotTable {
  /** False when the repository has `cap` slots already, quarantined ones not counted. Atomic among processes. */
  insert(slot: SlotRecord, cap: number, events: readonly NewEvent[]): Promise<boolean>;
  find(id: string): Promise<SlotRecord | undefined>;
  findByLease(leaseId: string): Promise<SlotRecord | undefined>;
  /**
   * Oldest first. A row that can't be read is not among them: `damaged` names it, so that one bad row does not stop
   * the pool and is never handed out.
   */
  list(repositoryId?: string): Promise<{ readonly slots: SlotRecord[]; readonly damaged: string[] }>;
  /**
   * Takes one free slot of the repository, one that stands at `commit` before others, the most recently used before
   * older ones, and gives it with the patch applied; undefined when none is free. Only `kind` when given.
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

/** Files that were moved aside and are yet to be captured or deleted. */
export interface RemainsTable {
  insert(remains: Remains): Promise<void>;
  find(id: string): Promise<Remains | undefined>;
  /** Those whose record can be read, oldest first. */
  list(repositoryId?: string): Promise<Remains[]>;
  /** The ids of the others. */
  listDamaged(): Promise<string[]>;
  /**
   * Hands them over when they have the owner, and the failure, that were seen: of many one is given them. Gives them as
   * they are now, without the failure.
   */
  adopt(
    seen: Pick<Remains, 'id' | 'owner' | 'failure'>,
    owner: ProcessIdentity,
  ): Promise<Remains | undefined>;
  /** False when they are not there, or are another's by now. */
  update(own: Pick<Remains, 'id' | 'owner'>, patch: Partial<Omit<Remains, 'id' | 'owner'>>): Promise<boolean>;
  remove(id: string): Promise<void>;
}
