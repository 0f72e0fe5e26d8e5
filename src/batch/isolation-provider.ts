import type { EvalItem } from '../domain/eval-item.js';
import type { CommandRequest, CommandResult } from '../operations/run-command.js';

/**
 * The batch's view of isolation. Every provider follows the same life: `init` once with all tasks, then for each attempt
 * `acquire`, work, `release` (which resets), and `destroyAll` at the end, also after a failure. All but `init` may be
 * called concurrently.
 */
export interface IsolationProvider {
  /** Makes what tasks share: mirrors, bases, warm workspaces. A task whose base can't be had is told here, not thrown. */
  init(tasks: readonly TaskDescriptor[], options?: ProviderOptions): Promise<readonly BrokenTask[]>;
  /** A workspace at the base of the task that nobody else has, clean, with its setup files and nothing else. */
  acquire(task: TaskDescriptor, options?: ProviderOptions): Promise<TaskEnvironment>;
  /** Back to the base, in the same workspace; verified. */
  reset(environment: TaskEnvironment): Promise<void>;
  /** Gives it back. Everything that ran in it is dead afterwards. With `keep` the files stay where `path` says. */
  release(environment: TaskEnvironment, options?: ReleaseOptions): Promise<{ readonly path: string | null }>;
  /** Ends everything and removes what this provider made, but for mirrors and bases, which later runs use. Idempotent. */
  destroyAll(): Promise<void>;
  getStats(): ProviderStats;
}

export type TaskDescriptor = Pick<EvalItem, 'id' | 'base' | 'image' | 'environment'>;

export interface ProviderOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ReleaseOptions {
  readonly keep?: boolean | undefined;
}

export interface BrokenTask {
  readonly taskId: string;
  readonly reason: string;
}

/** One isolated workspace in use. */
export interface TaskEnvironment {
  readonly id: string;
  readonly taskId: string;
  /** Absolute, as commands in it see it. */
  readonly workingDirectory: string;
  /** The commit that it started from: the only one that its repository has. */
  readonly commit: string;
  /** Whether a sandbox stands around its commands. */
  readonly isSandboxed: boolean;
  /** What its commands run in; the host itself when left out. */
  readonly runtime?: string | undefined;
  /**
   * Runs a command in it. When this returns, nothing that the command started runs any more, unless `endsLeftovers` is
   * false.
   */
  run(request: CommandRequest): Promise<CommandResult>;
  /** Ends everything that runs in it and waits until it is dead. */
  endAll(): Promise<void>;
  /**
   * Everything that was changed since the base as a patch that `git apply` takes: committed, staged, unstaged, new files
   * and binaries. Made by what the agent can't steer; call `endAll` before.
   */
  collectPatch(): Promise<CollectedPatch>;
  /** Places a file, by a path in the working tree. For graders and for oracle, never while an agent runs. */
  writeFile(path: string, content: Buffer, options?: { readonly executable?: boolean }): Promise<void>;
  /** A regular file of the working tree without following links; undefined when there is none, or one above the limit. */
  readFile(path: string, limitBytes: number): Promise<Buffer | undefined>;
}

/** What is larger is not held in memory, nor judged: a core dump, a tree of build results. */
export const MOST_PATCH_BYTES = 64 * 1024 ** 2;

export interface CollectedPatch {
  readonly patch: Buffer;
  /** What no patch can hold, such as repositories within. */
  readonly skipped: readonly string[];
  /** Above MOST_PATCH_BYTES; the patch is empty then. */
  readonly isTooLarge?: boolean | undefined;
}

export interface ProviderStats {
  readonly total: number;
  readonly inUse: number;
  readonly free: number;
  /** Since `init`. */
  readonly acquired: number;
  readonly warm: number;
}
