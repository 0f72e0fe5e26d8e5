import type { AcceptedRisks, Risk } from '../domain/risk.js';
import type { OmittedFile, Snapshot } from '../domain/snapshot.js';
import type { BackendName, Changes, Population, WorkspaceRecord } from '../domain/workspace.js';
import type { DiffFormat } from '../git/diff-arguments.js';
import type { ReadyTree } from '../git/linked-worktree.js';
import type { RefChange } from '../git/refs.js';
import type { CleanFiles } from '../git/work-tree/clean.js';
import type { WorkTreePlace } from '../git/work-tree/place.js';
import type { WriteOutput } from '../git/write-output.js';

/** The user's repository, or the directory that stands in for one. */
export interface Repository {
  /** Stable for one place on one machine. */
  readonly id: string;
  /** Last part of the path, for folders and messages. */
  readonly name: string;
  /** The main work tree; real path. */
  readonly root: string;
  /** The git directory that all worktrees share; null without git. */
  readonly commonDir: string | null;
  /** Set when the path that was asked about lies in a linked worktree. */
  readonly linkedWorktree: string | null;
}

/**
 * How the files of a workspace come to be, are looked at, and go. What a backend can't do is a part that is null.
 * Nothing here writes to the store or prints; nothing changes the user's checkout except `landing`.
 */
export interface Backend {
  readonly name: BackendName;
  /** Whether the directory is ours to delete. */
  readonly ownsFiles: boolean;
  /** The repository at or above `path`. NOT_A_REPOSITORY, BARE_REPOSITORY, EMPTY_REPOSITORY, UNSAFE_REPOSITORY. */
  locate(path: string): Promise<Repository>;
  /** Checks all that can be known to be wrong, without writing. UNKNOWN_BASE, INVALID_BRANCH, BRANCH_EXISTS, ... */
  resolve(repository: Repository, request: ResolveRequest): Promise<ResolvedRequest>;
  /** Makes the files of a recorded workspace. The directory does not exist before. `undoCreate` undoes any part of it. */
  create(record: WorkspaceRecord, hooks: CreateHooks): Promise<CreateResult>;
  /** Removes whatever `create` made, even half of it; idempotent; touches nothing else. */
  undoCreate(record: WorkspaceRecord): Promise<void>;
  /**
   * A look at the files of several workspaces, in their order. Never throws for a directory that is gone or not ours:
   * `presence` tells.
   */
  inspect(records: readonly WorkspaceRecord[], options: InspectOptions): Promise<Inspection[]>;
  /**
   * Everything that removing would lose, as far as the files tell; the store's own risks are added by the caller.
   * `limits` says what a snapshot would hold of ignored files. WORKSPACE_REPLACED when something else stands there,
   * WORKSPACE_MOVED when the files are elsewhere.
   */
  findRisks(record: WorkspaceRecord, limits: SnapshotLimits, options?: RiskOptions): Promise<Risk[]>;
  /** Why its workspaces can't be had below the directory `root`; null when they can. Without this they always can. */
  findObstacle?(repository: Pick<Repository, 'commonDir'>, root: string): Promise<string | null>;
  /** Whether something of ours is mounted at the workspace's path. */
  readonly mountsFiles?: boolean | undefined;
  /** Where git finds the files of a workspace that has a git of its own; null for others. Pure. */
  workTree(record: WorkspaceRecord): WorkTreePlace | null;
  readonly removal: Removal;
  /** For a backend that can tell at a glance that a workspace has nothing to lose. */
  readonly cleanRemoval?: CleanRemoval | undefined;
  readonly diffing: Diffing | null;
  readonly snapshots: Snapshotting | null;
  readonly landing: Landing | null;
}

export interface RiskOptions {
  /** The workspace's own branch stays as long as it holds commits that nothing else does; they are no risk then. */
  readonly keepsBranch?: boolean | undefined;
}

export interface ResolveRequest {
  readonly base?: string | undefined;
  /** The branch to make; undefined lets the backend have none. */
  readonly branch?: string | undefined;
}

export interface ResolvedRequest {
  readonly branch: string | null;
  readonly base: { readonly ref: string | null; readonly commit: string | null };
}

export interface CreateHooks {
  /** Called after each step, before the next begins. */
  readonly onStep: (step: 'registered' | 'populated') => Promise<void>;
  /** Runs `action` while no other process changes the repository's worktrees and refs. */
  readonly exclusively: <T>(action: () => Promise<T>) => Promise<T>;
  readonly signal?: AbortSignal | undefined;
  /** When set, the files and the state come from this snapshot instead of the base. */
  readonly from?: Snapshot | undefined;
  /** Where a git directory that the snapshot has kept comes back to; must not exist. Nothing is made without one. */
  readonly privateGitDir?: string | undefined;
  /** The same for a home. */
  readonly privateHome?: string | undefined;
  /** Only git's own checkout brings files, whatever else would be faster. */
  readonly checkoutOnly?: boolean | undefined;
  /** Files that are there already, at a commit that need not be the base; they are moved into place. */
  readonly ready?: ReadyFiles | undefined;
  /** When set, this brings the files of the base into the registered directory, instead of the backend's own way. */
  readonly populate?: (() => Promise<CreateResult>) | undefined;
}

export interface ReadyFiles extends ReadyTree {
  readonly commit: string;
}

export interface CreateResult {
  readonly warnings: readonly string[];
  /** Which way the files came, where there is a choice. */
  readonly population?: Population | undefined;
}

export interface InspectOptions {
  /** Whether to add up the bytes on disk, which visits every file. */
  readonly size: boolean;
  /** Only tell whether the files are in place; everything else is null. */
  readonly presenceOnly?: boolean | undefined;
}

/**
 * `present`: ours and in place. `missing`: the directory is gone. `moved`: it is gone from there, and git knows where it
 * is now. `replaced`: something else stands there.
 */
export type Presence =
  | { readonly kind: 'present' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'moved'; readonly to: string }
  | { readonly kind: 'replaced'; readonly found: string };

export interface Inspection {
  readonly presence: Presence;
  /** Branch that is checked out now; null when detached or without version control. */
  readonly branch: string | null;
  readonly head: string | null;
  readonly changes: Changes | null;
  readonly ahead: number | null;
  readonly behind: number | null;
  readonly conflictsWithBase: boolean | null;
  readonly sizeBytes: number | null;
}

/** Going, in steps that can be taken back until `destroy`. Each is idempotent. */
export interface Removal {
  /** Whether anything is left that a snapshot could hold: false when the files are gone and git has forgotten them. */
  hasRemains(record: WorkspaceRecord): Promise<boolean>;
  /** Where `setAside` puts the files: beside the workspace, on the same file system. Pure. */
  asideOf(record: WorkspaceRecord): string;
  /** Moves the files out of everybody's reach. WORKSPACE_REPLACED, WORKSPACE_MOVED. */
  setAside(record: WorkspaceRecord): Promise<void>;
  /** Undoes `setAside`, also half of it. */
  putBack(record: WorkspaceRecord): Promise<void>;
  /**
   * Forgets the workspace in the repository: registration, its pins, and the branch when that may go. Commits that were
   * given up go only as far as the snapshot `held` has them. What `clean` says is not looked for again; what has moved
   * since then is.
   */
  unregister(
    record: WorkspaceRecord,
    accepted: AcceptedRisks,
    held: string | null,
    clean?: CleanWorkspace,
  ): Promise<BranchOutcome>;
  /**
   * The directory of ours that holds the set aside files as `tree/`, so that they can be left to the background (see
   * domain/remains.ts). Without this, `destroy` is waited for. Pure.
   */
  remainsOf?(record: WorkspaceRecord): string;
  /** Deletes the files that were set aside, for good. Read-only files and directories do not stop it. */
  destroy(record: WorkspaceRecord): Promise<void>;
}

/**
 * The quick way of a removal, for the common case: nothing was changed, and all commits are held by others. Everything
 * that it takes for granted is looked at once more before the files are deleted (see operations/judge-remains.ts).
 */
export interface CleanRemoval {
  /** Undefined when there may be something to lose; `findRisks` tells then. */
  look(record: WorkspaceRecord): Promise<CleanWorkspace | undefined>;
  /** The snapshot of one that was found clean and set aside, without another look at its files. */
  capture(record: WorkspaceRecord, clean: CleanWorkspace, request: CaptureRequest): Promise<Captured>;
}

export interface CleanWorkspace {
  /** Where HEAD and the workspace's own branch are. */
  readonly commit: string;
  readonly tree: string;
  readonly files: CleanFiles;
  /** The deletion of the workspace's pins. */
  readonly pins: readonly RefChange[];
}

/** What became of the workspace's own branch; both null when there was none. */
export interface BranchOutcome {
  readonly deletedBranch: string | null;
  readonly keptBranch: string | null;
}

export interface Diffing {
  /**
   * Committed, staged, unstaged and untracked changes against the merge base, as a patch that `git apply` takes.
   * `skipped` are nested repositories, which no patch can hold.
   */
  diff(
    record: WorkspaceRecord,
    format: DiffFormat,
    write: WriteOutput,
  ): Promise<{ readonly skipped: readonly string[] }>;
}

export interface SnapshotLimits {
  /** Bytes of ignored files that are taken along; larger sets are left out, largest first. */
  readonly ignoredBytes: number;
  /** Names of directories that tools make again (node_modules, target, ...); left out when ignored. */
  readonly regenerable: readonly string[];
}

export interface CaptureRequest {
  readonly snapshotId: string;
  readonly message: string | null;
  readonly limits: SnapshotLimits;
  /** The date of the commits that it is made of. */
  readonly at: Date;
  /** Where the files are now, when that is not the workspace's path. */
  readonly filesAt?: string | undefined;
  /** The git directory that a sandboxed workspace has to itself, where there is one: kept as plain files. */
  readonly privateGitDir?: string | undefined;
  /** The home that it has to itself, kept like ignored files. */
  readonly privateHome?: string | undefined;
}

export interface Captured {
  readonly commit: string;
  readonly files: number;
  readonly omitted: readonly OmittedFile[];
}

export interface Snapshotting {
  /** Where snapshots of this workspace live: the git directory and the ref. */
  place(
    record: Pick<WorkspaceRecord, 'id' | 'commonDir'>,
    snapshotId: string,
  ): { readonly objectStore: string; readonly ref: string };
  /** Holds everything and pins it under the ref. When this returns, losing the directory loses nothing. */
  capture(record: WorkspaceRecord, request: CaptureRequest): Promise<Captured>;
  /** Whether the ref is there and all that it names is complete; the commit when it is. */
  verify(snapshot: Snapshot): Promise<string | undefined>;
  /** Takes the pin away. */
  release(snapshot: Snapshot): Promise<void>;
}

export type LandStrategy = 'merge' | 'squash' | 'rebase';

export interface LandRequest {
  /** Branch to land on; the branch that the workspace was made from by default. */
  readonly into?: string | undefined;
  readonly strategy: LandStrategy;
  readonly message?: string | undefined;
}

export interface LandPlan {
  readonly into: string;
  readonly before: string;
  readonly after: string;
  readonly commits: number;
  /** Checkouts of the target branch that are brought along; all of them were clean when this was made. */
  readonly checkouts: readonly string[];
}

/** Landing in two halves: `prepare` makes objects only, `move` changes the ref and the checkouts. */
export interface Landing {
  /** LAND_NOTHING, LAND_UNCOMMITTED, LAND_CONFLICT, LAND_CHECKOUT_DIRTY, UNKNOWN_BRANCH. Changes nothing. */
  prepare(record: WorkspaceRecord, request: LandRequest): Promise<LandPlan>;
  /** REF_MOVED when the target is no longer at `before`. */
  move(
    record: WorkspaceRecord,
    plan: LandPlan,
    onStep: (step: 'moved' | 'checked-out') => Promise<void>,
  ): Promise<void>;
  /**
   * After a crash between the halves of `move`, when the ref is at `after` already: brings the checkouts there, or the
   * ref back when one can't follow. LAND_CHECKOUT_DIRTY while another git is at work in one.
   */
  finish(record: WorkspaceRecord, plan: LandPlan): Promise<void>;
  /** Commits all changes in the workspace; gives the commit. */
  commitAll(record: WorkspaceRecord, message: string): Promise<string>;
}
