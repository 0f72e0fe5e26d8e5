import type { CarrelEvent, NewEvent } from '../domain/event.js';
import type { JournalEntry } from '../domain/journal.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { Snapshot } from '../domain/snapshot.js';
import type { WorkspaceRecord, WorkspaceStatus } from '../domain/workspace.js';

/**
 * What Carrel remembers. Every change takes the events that tell of it and appends them in the same transaction; one
 * that fails, or finds nothing to change, appends none.
 * Several processes use one store at the same time; a busy database is waited for. Errors: STORE_BUSY after the wait,
 * STORE_CORRUPT, DISK_FULL, STATE_NOT_WRITABLE.
 */
export interface Store {
  readonly workspaces: WorkspaceTable;
  readonly snapshots: SnapshotTable;
  readonly events: EventTable;
  readonly journal: JournalTable;
  readonly locks: LockTable;
  readonly ports: PortTable;
  readonly trust: TrustTable;
  readonly commands: CommandTable;
  /** Where the data is, for messages. */
  readonly location: string;
  /** Waits for what has begun. Idempotent; any later use is an INTERNAL error. */
  close(): Promise<void>;
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
    readonly limit: number;
  }): Promise<CarrelEvent[]>;
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
