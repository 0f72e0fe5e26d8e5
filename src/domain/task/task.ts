import { z } from 'zod';
import type { PresetName, TaskLimits } from '../agent/agent.js';
import { UsageSchema } from '../agent/usage.js';
import type { IsolationAsker } from '../isolation/decide-isolation.js';
import { WorkspaceConfigSchema } from '../isolation/workspace-config.js';
import { IsolationModeSchema } from '../isolation.js';
import type { ProcessIdentity } from '../process-identity.js';
import { type Expectation, ValidationResultSchema } from '../workflow/validation.js';
import type { WorkflowDefinition } from '../workflow/workflow.js';
import { FailureSchema } from './failure.js';
import { STAGE_STATUSES, TASK_STATUSES } from './task-status.js';

export type { StageStatus, TaskStatus } from './task-status.js';

const OutputSchema = z.object({
  name: z.string().describe('its name in the workflow'),
  file: z.string().describe('absolute path of the kept file'),
  bytes: z.int(),
  source: z
    .enum(['file', 'message'])
    .describe("file: the agent wrote it; message: the agent's last message is used instead"),
});
/** A file that a stage passes to later stages. */
export type StageOutput = Readonly<z.infer<typeof OutputSchema>>;

const ApprovalSchema = z.object({
  status: z.enum(['waiting', 'approved']),
  at: z.iso.datetime().describe('when it began to wait, or was approved'),
  message: z.string().nullable().describe('what the user wrote; null for nothing'),
});

export const StageSchema = z.object({
  name: z.string(),
  agent: z.string(),
  status: z.enum(STAGE_STATUSES),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  attempts: z.int().describe('how often its agent was started'),
  exitCode: z.int().nullable().describe('of the last attempt'),
  outputs: z.array(OutputSchema),
  usage: UsageSchema,
  changed: z
    .boolean()
    .nullable()
    .describe(
      'whether the branch moved, or files of a shared checkout changed; null before the stage has ended, and when unknown',
    ),
  commit: z.string().nullable().describe('the head of the branch after the stage'),
  commits: z
    .record(z.string(), z.string().nullable())
    .optional()
    .describe('with several repositories: the head of the branch in each of them, by alias'),
  message: z.string().nullable().describe("the agent's last message"),
  workspaceName: z
    .string()
    .nullable()
    .describe("its separate workspace when it ran in parallel; null for the task's workspace"),
  approval: ApprovalSchema.optional().describe(
    'approval of its work by the user; absent when the workflow needs none',
  ),
  failure: FailureSchema.optional(),
  previousFailure: FailureSchema.optional().describe('why it is retried; passed to the next attempt'),
  warnings: z.array(z.string()),
});
/** One stage of a task: its agent, status, attempts, outputs and usage. */
export type Stage = Readonly<z.infer<typeof StageSchema>>;

const RunSchema = z.object({
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  outcome: z
    .enum(['running', 'waiting-for-approval', 'succeeded', 'failed', 'cancelled', 'interrupted'])
    .describe('how this run of the task went'),
});
export type Run = Readonly<z.infer<typeof RunSchema>>;

const TaskRepositorySchema = z.object({
  alias: z.string(),
  repository: z.string().describe('absolute path of the repository'),
  worktreePath: z.string().nullable().describe('path of the files; null before they exist'),
  base: z.string().nullable().describe('the commit that it started from'),
  baseRef: z.string().nullable().describe('the branch, tag or commit that it was made from, as it was named'),
  head: z.string().nullable().describe('the commit that the branch was at after the last stage'),
});
/** One of several repositories that a task works in. */
export type TaskRepository = Readonly<z.infer<typeof TaskRepositorySchema>>;

export const IssueSchema = z.object({
  number: z.int().positive().describe('its number in the repository'),
  url: z.string().max(2000).nullable().describe('its page; null when unknown'),
});

/** A task: its description, workflow and progress. */
export const TaskSchema = z
  .object({
    id: z.string().describe('task_ and 16 characters, sorted by time'),
    description: z.string(),
    issue: IssueSchema.optional().describe('the issue that the description comes from'),
    repository: z.string().describe('absolute path of the repository'),
    workflow: z.string(),
    agent: z
      .string()
      .nullable()
      .describe('the agent that all stages use instead of the agents of the workflow'),
    status: z.enum(TASK_STATUSES),
    priority: z.int().describe('higher ones run first'),
    isolation: z.object({
      requested: IsolationModeSchema,
      effective: IsolationModeSchema.nullable().describe('null before the workspace exists'),
      reason: z.string().nullable().describe('why effective differs from requested'),
    }),
    workspace: WorkspaceConfigSchema.pick({ strategy: true, cleanup: true, preserveOnFailure: true })
      .optional()
      .describe(
        'the requested workspace, and what happens to it at the end; absent in tasks of earlier versions',
      ),
    workspaceId: z.string().nullable(),
    workspaceName: z.string().nullable(),
    worktreePath: z
      .string()
      .nullable()
      .describe('path of the files, decided when the task is created; stays set after a cleanup'),
    workspaceKept: z.boolean().describe('whether the workspace still exists'),
    branch: z.string().nullable(),
    base: z.string().nullable().describe('the commit that it started from'),
    head: z.string().nullable().describe('the commit that the branch was at after the last stage'),
    repositories: z
      .array(TaskRepositorySchema)
      .optional()
      .describe('all repositories that it works in, when there are several; its own is the first'),
    fleet: z
      .object({
        name: z.string().describe('the fleet that runs it, without a password'),
        run: z
          .string()
          .nullable()
          .describe('its run there, for `carrel fleet show`; null before it is submitted'),
        host: z.string().nullable().describe('the host that runs it, or ran it last'),
      })
      .optional()
      .describe('absent for a task of this machine'),
    stages: z.array(StageSchema),
    validation: z.array(ValidationResultSchema),
    usage: UsageSchema,
    failure: FailureSchema.optional(),
    runs: z.array(RunSchema).describe('one for each start or retry'),
    landed: z.object({ into: z.string(), commit: z.string() }).nullable(),
    published: z
      .object({
        remote: z.string(),
        pullRequest: z.string().nullable(),
        repositories: z
          .array(z.object({ alias: z.string(), pullRequest: z.string().nullable() }))
          .optional()
          .describe('with several repositories: those that were pushed'),
      })
      .nullable(),
    warnings: z.array(z.string()),
    createdAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'task', title: 'Task' });
/**
 * A task: its description, workflow and progress.
 *
 * @example
 * ```ts
 * const { id } = await carrel.createTask({ description: 'Add a dark mode', workflow: 'feature' });
 * const task = await carrel.executeTask(id);
 * if (task.status === 'succeeded') await carrel.tasks.land(id);
 * else console.error(task.failure?.message);
 * ```
 */
export type Task = Readonly<z.infer<typeof TaskSchema>>;

/** An agent with everything needed to run it, as it was when the task was created. */
export interface ResolvedAgent {
  /** Its name in the workflow. */
  readonly name: string;
  readonly program:
    | { readonly kind: 'preset'; readonly preset: PresetName; readonly model?: string | undefined }
    | {
        readonly kind: 'command';
        /** Text is for the shell. */
        readonly command: string | readonly string[];
        readonly prompt: 'argument' | 'stdin' | 'file';
      };
  readonly arguments: readonly string[];
  readonly instructions: string | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly passEnvironment: readonly string[];
  readonly hosts: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly result: 'text' | 'json' | PresetName;
}

/** What the store keeps beyond the public fields: all that is needed to continue after a crash. */
export interface TaskRecord extends Task {
  readonly repositoryId: string;
  /** The process that works on it or waits for its turn; null when none does. */
  readonly owner: ProcessIdentity | null;
  /** The last heartbeat of the owner. */
  readonly heartbeatAt: string | null;
  readonly cancelRequestedAt: string | null;
  readonly plan: TaskPlan;
}

/** Decided when the task was created; later changes to the repository's files have no effect. */
export interface TaskPlan {
  readonly workflow: WorkflowDefinition;
  /** By the name that stages use. */
  readonly agents: Readonly<Record<string, ResolvedAgent>>;
  readonly validation: readonly Expectation[];
  readonly limits: TaskLimits;
  /** Milliseconds of all of it; null for no limit. */
  readonly timeoutMs: number | null;
  readonly retryDelayMs: number;
  /** A branch, tag or commit; null for the repository's HEAD. */
  readonly baseRef: string | null;
  readonly strict: boolean;
  /** Who chose the isolation mode; absent in tasks of earlier versions. */
  readonly askedBy?: IsolationAsker | undefined;
  /** The branch to work on; absent for the one that a new workspace gets. */
  readonly branch?: string | undefined;
  /** Whether the user chose a container rather than another sandbox. */
  readonly prefersContainer?: boolean | undefined;
  /** The other repositories that it works in; absent for none. */
  readonly repositories?: readonly PlannedRepository[] | undefined;
  /** The fleet that runs it; absent for this machine. */
  readonly fleet?: PlannedFleet | undefined;
  /** For a task that a worker of a fleet runs: the id that it has on the machine of its submitter. */
  readonly submittedAs?: string | undefined;
  /** What happens to the workspace. */
  readonly cleanupOnComplete: boolean;
  readonly preserveOnFailure: boolean;
  /** Digest of the repository's setup commands that were approved for this task alone; null when none were. */
  readonly trust: string | null;
  /** What happens after success. */
  readonly land: { readonly into: string | null } | null;
  readonly publish: { readonly remote: string; readonly pullRequest: boolean } | null;
  /** Set when a server has accepted it. */
  readonly request?: AcceptedRequest | undefined;
}

/** The fleet that runs a task. */
export interface PlannedFleet {
  /** As for `--on`. It may contain a password, as the variables of agents may. */
  readonly address: string;
  /** Labels that a worker must have. */
  readonly labels: readonly string[];
  /** Bytes of the log before the current run: the log that comes back is written after them. */
  readonly logBytes?: number | undefined;
  /** The commit that the current run was sent with. */
  readonly start?: string | undefined;
}

/** Another repository of a task. */
export interface PlannedRepository {
  readonly alias: string;
  /** Its root, with all links resolved. */
  readonly path: string;
  /** A branch, tag or commit; null for its HEAD. */
  readonly base: string | null;
  /** As for the first repository. */
  readonly trust: string | null;
}

/** The server's record of the request behind a task; stored here so that it exists as soon as the task does. */
export interface AcceptedRequest {
  /** The repository as it was named. */
  readonly targetRepository: string;
  /** Digests of the caller's Idempotency-Key and of the request body; null without a key. */
  readonly idempotency: { readonly key: string; readonly body: string } | null;
}
