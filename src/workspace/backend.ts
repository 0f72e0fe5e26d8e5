import type { OmittedFile, Snapshot } from '../domain/snapshot/snapshot.js';
import type { AcceptedRisks, Risk } from '../domain/workspace/risk.js';
import type { BackendName, Changes, Population, WorkspaceRecord } from '../domain/workspace/workspace.js';
import type { BytePath } from '../git/byte-path.js';
import type { DiffFormat } from '../git/diff/diff-arguments.js';
import type { WriteOutput } from '../git/diff/write-output.js';
import type { RefChange } from '../git/refs/refs.js';
import type { ReadyTree } from '../git/repository/linked-worktree.js';
import type { CleanFiles } from '../git/work-tree/clean-files.js';
import type { WorkTreePlace } from '../git/work-tree-place.js';

/** The user's repository, or the directory that is used instead of one. */
export interface Repository {
  /** Stable for one path on one machine. */
  readonly id: string;
  /** Last part of the path, for folders and messages. */
  readonly name: string;
  /** The main work tree; real path. */
  readonly root: string;
  /** The git directory that all worktrees share; null without git. */
  readonly commonDir: string | null;
  /** Set when the requested path is in a linked worktree. */
  readonly linkedWorktree: string | null;
}

/**
 * How the files of a workspace are created, inspected and removed. An optional part is null when the backend lacks it.
 * Nothing here writes to the store or prints; only `landing` changes the user's checkout.
 */
export interface Backend {
  readonly name: BackendName;
  /** Whether Carrel may delete the directory. */
  readonly ownsFiles: boolean;
  /** The repository at or above `path`. NOT_A_REPOSITORY, BARE_REPOSITORY, EMPTY_REPOSITORY, UNSAFE_REPOSITORY. */
  locate(path: string): Promise<Repository>;
  /** Checks everything that can be checked without writing. UNKNOWN_BASE, INVALID_BRANCH, BRANCH_EXISTS, ... */
  resolve(repository: Repository, request: ResolveRequest): Promise<ResolvedRequest>;
  /** Creates the files of a recorded workspace. The directory must not exist. `undoCreate` undoes any part of it. */
  create(record: WorkspaceRecord, hooks: CreateHooks): Promise<CreateResult>;
  /** Removes what `create` made, even partially; idempotent; touches nothing else. */
  undoCreate(record: WorkspaceRecord): Promise<void>;
  /**
   * Inspects the files of several workspaces and returns the results in the same order. Never throws for one of them:
   * `presence` reports a directory that is missing or not ours, `problem` one that can't be read.
   */
  inspect(records: readonly WorkspaceRecord[], options: InspectOptions): Promise<Inspection[]>;
  /**
   * Everything in the files that removing would lose; the caller adds the risks known from the store. `limits` sets which
   * ignored files a snapshot would hold. WORKSPACE_REPLACED when the path holds something else, WORKSPACE_MOVED when the
   * files are elsewhere.
   */
  findRisks(record: WorkspaceRecord, limits: SnapshotLimits, options?: RiskOptions): Promise<Risk[]>;
  /**
   * The same as `inspect` and `findRisks` with the paths of `diffing`, where it is cheaper together: the files are read once.
   * Undefined when the three have to be called; absent: always. Never throws for the files of a workspace.
   */
  inspectFully?(
    record: WorkspaceRecord,
    limits: SnapshotLimits,
    options: Pick<InspectOptions, 'size'>,
  ): Promise<FullInspection | undefined>;
  /** Why workspaces can't be created below the directory `root`; null when they can. Absent: they always can. */
  findObstacle?(repository: Pick<Repository, 'commonDir'>, root: string): Promise<string | null>;
  /** The files that a workspace started with, where they are not its base commit; undefined when they are lost. */
  findStart?(record: WorkspaceRecord): Promise<string | undefined>;
  /** Whether Carrel has mounted something at the workspace's path. */
  readonly mountsFiles?: boolean | undefined;
  /**
   * Updates the repository's path in the files of a workspace after the repository was moved. Files that don't name the
   * old path are left alone. Absent: no file names it.
   */
  relink?(record: WorkspaceRecord, former: RepositoryPlace): Promise<void>;
  /** Where git finds the files of a workspace with its own git directory; null for others. Pure. */
  workTree(record: WorkspaceRecord): WorkTreePlace | null;
  readonly removal: Removal;
  /** For a backend with a fast check that a workspace has nothing to lose. */
  readonly cleanRemoval?: CleanRemoval | undefined;
  readonly diffing: Diffing | null;
  readonly snapshots: Snapshotting | null;
  readonly returning: Returning | null;
  readonly landing: Landing | null;
}

export interface RiskOptions {
  /** The workspace's branch is kept while it holds commits that no other ref holds, so they are not a risk. */
  readonly keepsBranch?: boolean | undefined;
  /** Nothing will be removed: an inspection that takes too long is aborted and reported as a risk. */
  readonly isLook?: boolean | undefined;
}

export interface ResolveRequest {
  readonly base?: string | undefined;
  /** The branch to create; undefined for none. */
  readonly branch?: string | undefined;
  /** Whether an existing branch of that name is opened; refused otherwise. */
  readonly mayExist?: boolean | undefined;
}

export interface ResolvedRequest {
  readonly branch: string | null;
  /** Whether the branch was there before, so that it is the user's and stays. The workspace starts at its tip. */
  readonly isOpened?: boolean | undefined;
  readonly base: { readonly ref: string | null; readonly commit: string | null };
}

export interface CreateHooks {
  /** Called after each step, before the next starts. */
  readonly onStep: (step: 'registered' | 'populated') => Promise<void>;
  /** Runs `action` while no other process changes the repository's worktrees and refs. */
  readonly exclusively: <T>(action: () => Promise<T>) => Promise<T>;
  readonly signal?: AbortSignal | undefined;
  /** When set, the files and the state come from this snapshot instead of the base. */
  readonly from?: Snapshot | undefined;
  /** Where to restore a git directory held by the snapshot; must not exist. Without such a directory nothing is created. */
  readonly privateGitDir?: string | undefined;
  /** The same for a home. */
  readonly privateHome?: string | undefined;
  /** Always use git's own checkout, even where another way is faster. */
  readonly checkoutOnly?: boolean | undefined;
  /** Existing files, possibly at another commit than the base; they are moved into place. */
  readonly ready?: ReadyFiles | undefined;
  /** What a plain copy leaves out, by path relative to the source. Not called for anything inside an excluded directory. */
  readonly leaveOut?: ((path: BytePath, isDirectory: boolean) => boolean) | undefined;
  /** From `findStart`: the files come from here, since the source may have changed since. */
  readonly startsAt?: string | undefined;
  /** When set, this puts the files of the base into the registered directory instead of the backend's own method. */
  readonly populate?: (() => Promise<CreateResult>) | undefined;
}

export interface ReadyFiles extends ReadyTree {
  readonly commit: string;
}

export interface CreateResult {
  readonly warnings: readonly string[];
  /** How the files were created, where there is a choice. */
  readonly population?: Population | undefined;
}

export interface InspectOptions {
  /** Whether to measure the bytes on disk, which visits every file. */
  readonly size: boolean;
  /** Only check that the files are in place; everything else is null. */
  readonly presenceOnly?: boolean | undefined;
}

/**
 * `present`: ours and in place. `missing`: the directory is gone. `moved`: it is no longer there, and git knows the new
 * path. `replaced`: something else is at the path.
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
  /** Its history has no commit in common with its base. */
  readonly isUnrelated?: boolean | undefined;
  /** Why some of the files could not be inspected; the values count the others. */
  readonly warning?: string | undefined;
  /** Why the files could not be inspected; values that depend on them are null. */
  readonly problem?: Error | undefined;
}

export interface FullInspection {
  readonly inspection: Inspection;
  readonly risks: readonly Risk[];
  /** As in `Diffing`; undefined when only a diff shows them. */
  readonly changed: readonly string[] | undefined;
}

/** Removal in steps that can be undone until `destroy`. Each is idempotent. */
export interface Removal {
  /** Whether anything is left to snapshot: false when the files are gone and git no longer knows the worktree. */
  hasRemains(record: WorkspaceRecord): Promise<boolean>;
  /** Where `setAside` moves the files: next to the workspace, on the same file system. Pure. */
  asideOf(record: WorkspaceRecord): string;
  /** Moves the files away from their path. WORKSPACE_REPLACED, WORKSPACE_MOVED. */
  setAside(record: WorkspaceRecord): Promise<void>;
  /** Undoes `setAside`, even a partial one. */
  putBack(record: WorkspaceRecord): Promise<void>;
  /**
   * Unregisters the workspace in the repository: registration, its pins, and the branch when it may be deleted. Discarded
   * commits are dropped only if the snapshot `held` has them. What `clean` reports is not checked again, unless it has
   * moved since.
   */
  unregister(
    record: WorkspaceRecord,
    accepted: AcceptedRisks,
    held: string | null,
    clean?: CleanWorkspace,
  ): Promise<BranchOutcome>;
  /**
   * Our directory that holds the set-aside files as `tree/`, so that they can be deleted in the background (see
   * domain/snapshot/remains.ts). Absent: the caller waits for `destroy`. Pure.
   */
  remainsOf?(record: WorkspaceRecord): string;
  /** Permanently deletes the files that were set aside, read-only files and directories included. */
  destroy(record: WorkspaceRecord): Promise<void>;
}

/**
 * Fast removal for the common case: no changes, and all commits are held by other refs. Every assumption is checked once
 * more before the files are deleted (see operations/remains/verify-remains.ts).
 */
export interface CleanRemoval {
  /** Undefined when there may be something to lose; then use `findRisks`. */
  inspectIfClean(record: WorkspaceRecord): Promise<CleanWorkspace | undefined>;
  /** The snapshot of a workspace that was found clean and set aside, without reading its files again. */
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
   * `skipped` are nested repositories, which no patch can hold; `changed` are the files that it adds or changes.
   */
  diff(
    record: WorkspaceRecord,
    format: DiffFormat,
    write: WriteOutput,
    /** A directory that the paths in the output begin with; not those in the result. */
    below?: string,
  ): Promise<{ readonly skipped: readonly string[]; readonly changed: readonly string[] }>;
}

export interface SnapshotLimits {
  /** Maximum bytes of ignored files to keep; beyond that the largest are left out first. */
  readonly ignoredBytes: number;
  /** Names of directories that tools recreate (node_modules, target, ...); left out when ignored. */
  readonly regenerable: readonly string[];
}

export interface CaptureRequest {
  readonly snapshotId: string;
  readonly message: string | null;
  readonly limits: SnapshotLimits;
  /** The date of the snapshot's commits. */
  readonly at: Date;
  /** Where the files are now, when that is not the workspace's path. */
  readonly filesAt?: string | undefined;
  /** The private git directory of a sandboxed workspace, if any: kept as plain files. */
  readonly privateGitDir?: string | undefined;
  /** Its private home directory, kept like ignored files. */
  readonly privateHome?: string | undefined;
  /** Called when the part stored outside the repository is pinned and the snapshot is not yet. */
  readonly onKept?: (() => void) | undefined;
  /** Files and directories left out of the snapshot because they can't be read or are too large. */
  readonly leftOut?: ReadonlySet<BytePath> | undefined;
}

export interface Captured {
  readonly commit: string;
  /** The commit with the part stored outside the repository, if any. */
  readonly kept?: string | undefined;
  readonly files: number;
  readonly omitted: readonly OmittedFile[];
  /** Paths that other programs kept changing while they were captured; absent when nothing changed. */
  readonly changing?: readonly string[] | undefined;
}

export interface Snapshotting {
  /** Where snapshots of this workspace live: the git directory and the ref. */
  place(
    record: Pick<WorkspaceRecord, 'id' | 'commonDir'>,
    snapshotId: string,
  ): { readonly objectStore: string; readonly ref: string };
  /** Captures everything and pins it under the ref. After this returns, deleting the directory loses nothing. */
  capture(record: WorkspaceRecord, request: CaptureRequest): Promise<Captured>;
  /** The commit when the ref exists and all of its objects are there. */
  verify(snapshot: Snapshot): Promise<string | undefined>;
  /** The same without the part stored outside the repository (see git/snapshot/kept-store.ts), which may be lost. */
  verifySent?(snapshot: Snapshot): Promise<string | undefined>;
  /** Deletes the pin. */
  release(snapshot: Snapshot): Promise<void>;
}

/** Restores the files of a workspace whose directory was deleted while the rest of it still exists. */
export interface Returning {
  /**
   * Writes the files to `directory`, which does not exist; the caller renames it to the workspace's path. The files come
   * from the snapshot `from`, then anything newer in the repository is written over them, so that no commit is reverted.
   * Without a snapshot: what was committed or staged; SNAPSHOT_NOT_FOUND when there is neither. Restarted after a crash.
   */
  fill(
    record: WorkspaceRecord,
    from: Snapshot | undefined,
    directory: string,
  ): Promise<{ readonly warnings: readonly string[] }>;
  /** Removes what is left of the old files elsewhere. Idempotent. */
  clear?(record: WorkspaceRecord): Promise<void>;
  /** The workspace's new backend, when it changes. */
  readonly as?: BackendName | undefined;
}

export type LandStrategy = 'merge' | 'squash' | 'rebase';

export interface LandRequest {
  /** Branch to land on; by default the branch that the workspace was created from. */
  readonly into?: string | undefined;
  readonly strategy: LandStrategy;
  readonly message?: string | undefined;
}

export interface LandPlan {
  readonly into: string;
  readonly before: string;
  readonly after: string;
  readonly commits: number;
  /** Whether the target only moves forward to the workspace's own commits. */
  readonly isFastForward?: boolean | undefined;
  /** Checkouts of the target branch to update; all were clean when the plan was made. */
  readonly checkouts: readonly string[];
}

/** Where a repository was. */
export interface RepositoryPlace {
  readonly repository: string;
  readonly commonDir: string;
}

/** Landing in two steps: `prepare` creates objects only, `move` changes the ref and the checkouts. */
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
   * After a crash in the middle of `move`, when the ref is already at `after`: updates the checkouts, or moves the ref back
   * when one can't be updated. LAND_CHECKOUT_DIRTY while another git process works in one.
   */
  finish(record: WorkspaceRecord, plan: LandPlan): Promise<void>;
  /** Commits all changes in the workspace except files that no commit should hold (see uncommittable.ts). */
  commitAll(record: WorkspaceRecord, message: string): Promise<CommittedAll>;
}

export interface CommittedAll {
  readonly commit: string;
  /** One line for each changed file that was not committed, with the reason. */
  readonly leftOut: readonly string[];
}
