import type { TaskDescriptor } from '../domain/batch/task-descriptor.js';
import type { Command, CommandResult } from '../domain/command/command.js';
import type { WorkspaceEnvironment } from '../domain/command/environment.js';

/**
 * Isolated environments for tasks. Every provider has the same lifecycle: `init` with all tasks, then for each attempt
 * `acquire`, work, `release` (which resets), and `destroyAll` at the end, even after a failure. All but `init` may be
 * called concurrently. A call out of order is an error: PROVIDER_NOT_READY, PROVIDER_CLOSED, UNKNOWN_ENVIRONMENT.
 */
export interface IsolationProvider {
  /**
   * Creates what tasks share: mirrors, bases, warm workspaces. A task whose base is not available is reported here, not
   * thrown. May be called again with more tasks.
   */
  init(tasks: readonly TaskDescriptor[], options?: InitOptions): Promise<readonly BrokenTask[]>;
  /**
   * An exclusive, clean environment at the base of the task, after its setup. While `parallelism` environments are in
   * use it waits for a release; callers are served in the order in which they asked. Rejects with the reason of the
   * signal, ACQUIRE_TIMED_OUT, PROVIDER_CLOSED, BASE_UNAVAILABLE or TASK_SETUP_FAILED.
   */
  acquire(task: TaskDescriptor, options?: AcquireOptions): Promise<TaskEnvironment>;
  /** Back to the base, in the same environment; verified. */
  reset(environment: TaskEnvironment, options?: ResetOptions): Promise<void>;
  /**
   * Returns it. Every process in it is killed. With `keep` the files stay where `path` says. After `destroyAll`, which
   * returned it already, this does nothing, so that it can be in a `finally`.
   */
  release(environment: TaskEnvironment, options?: KeepOptions): Promise<{ readonly path: string | null }>;
  /**
   * Stops everything, rejects callers that wait, and removes what this provider created, except mirrors and bases, which
   * later runs use. Idempotent.
   */
  destroyAll(): Promise<void>;
  getStats(): PoolStats;
}

/** How `init` can be stopped. */
export interface InitOptions {
  readonly signal?: AbortSignal | undefined;
}

/** How long `acquire` waits, and whether it runs the setup. */
export interface AcquireOptions {
  readonly signal?: AbortSignal | undefined;
  /** The longest wait for a free environment, in milliseconds; no limit when left out. */
  readonly timeoutMs?: number | undefined;
  /** False leaves out the setup of the task, for callers that run it themselves. */
  readonly setup?: boolean | undefined;
}

/** How `reset` can be stopped, and whether it runs the setup. */
export interface ResetOptions {
  readonly signal?: AbortSignal | undefined;
  /** True runs the setup of the task again, for a second try in the same environment. */
  readonly setup?: boolean | undefined;
}

/** Whether `release` keeps a copy of the files. */
export interface KeepOptions {
  readonly keep?: boolean | undefined;
}

/** A task that cannot get an environment, and why. */
export interface BrokenTask {
  readonly taskId: string;
  readonly reason: string;
}

/** One isolated workspace in use. */
export interface TaskEnvironment extends WorkspaceEnvironment {
  readonly id: string;
  readonly taskId: string;
  /** The commit that it started from, the only one in its repository. */
  readonly commit: string;
  /**
   * Runs a command in it. When this returns, no process of the command is left running, unless `endsLeftovers` is
   * false.
   */
  run(command: Command): Promise<CommandResult>;
  /** Kills everything that runs in it and waits for that. */
  endAll(): Promise<void>;
  /**
   * Everything that was changed since the base as a patch for `git apply`: committed, staged, unstaged, new files
   * and binaries. Made without anything that the agent controls; call `endAll` first.
   */
  collectPatch(): Promise<CollectedPatch>;
  /** Writes a file to a path in the working tree. For graders and for oracle, never while an agent runs. */
  writeFile(path: string, content: Buffer, options?: { readonly executable?: boolean }): Promise<void>;
  /** A regular file of the working tree without following links; undefined when it is missing or above the limit. */
  readFile(path: string, limitBytes: number): Promise<Buffer | undefined>;
}

/** Larger patches are neither held in memory nor graded: a core dump, a tree of build output. */
export const MOST_PATCH_BYTES = 64 * 1024 ** 2;

/** The work of an attempt as a patch. */
export interface CollectedPatch {
  readonly patch: Buffer;
  /** What a patch cannot contain, such as nested repositories. */
  readonly skipped: readonly string[];
  /** Above MOST_PATCH_BYTES; the patch is empty then. */
  readonly isTooLarge?: boolean | undefined;
  /** Its `.gitattributes` requires encodings that its files do not have: the patch has their bytes unchanged. */
  readonly isRaw?: boolean | undefined;
}

/** How many environments a provider has, and how many callers wait for one. */
export interface PoolStats {
  readonly total: number;
  readonly inUse: number;
  /** Ready for the next caller. */
  readonly free: number;
  /** Callers of `acquire` that wait for a release. */
  readonly waiting: number;
  /** How many can be in use at once. */
  readonly parallelism: number;
  /** Since `init`. */
  readonly acquired: number;
  /** How many of those existed before they were requested. */
  readonly warm: number;
}
