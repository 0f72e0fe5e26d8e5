import { z } from 'zod';
import type { PresetName, TaskLimits } from './agent.js';
import { FailureSchema } from './failure.js';
import { IsolationModeSchema } from './isolation.js';
import type { ProcessIdentity } from './process-identity.js';
import { STAGE_STATUSES, TASK_STATUSES } from './task-status.js';
import { UsageSchema } from './usage.js';
import { type Expectation, ValidationResultSchema } from './validation.js';
import type { WorkflowDefinition } from './workflow.js';

export type { StageStatus, TaskStatus } from './task-status.js';

const OutputSchema = z.object({
  name: z.string().describe('what the workflow calls it'),
  file: z.string().describe('absolute path of the kept file'),
  bytes: z.int(),
  source: z
    .enum(['file', 'message'])
    .describe("file: the agent wrote it; message: the agent's last words stand in for it"),
});
export type StageOutput = Readonly<z.infer<typeof OutputSchema>>;

const StageSchema = z.object({
  name: z.string(),
  agent: z.string(),
  status: z.enum(STAGE_STATUSES),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  attempts: z.int().describe('how often its agent was started'),
  exitCode: z.int().nullable().describe('of the last attempt'),
  outputs: z.array(OutputSchema),
  usage: UsageSchema,
  changed: z.boolean().nullable().describe('whether the branch moved; null before the stage has ended'),
  commit: z.string().nullable().describe('where the branch was after it'),
  message: z.string().nullable().describe("the agent's last words"),
  workspaceName: z
    .string()
    .nullable()
    .describe('the workspace of its own that it ran in beside others; null for that of the task'),
  failure: FailureSchema.optional(),
  previousFailure: FailureSchema.optional().describe('why it is tried again; the next attempt is told'),
  warnings: z.array(z.string()),
});
export type Stage = Readonly<z.infer<typeof StageSchema>>;

const RunSchema = z.object({
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  outcome: z
    .enum(['running', 'succeeded', 'failed', 'cancelled', 'interrupted'])
    .describe('how this run of the task went'),
});
export type Run = Readonly<z.infer<typeof RunSchema>>;

/** What is to be done, by which workflow, and how far it is. */
export const TaskSchema = z
  .object({
    id: z.string().describe('task_ and 16 characters, sorted by time'),
    description: z.string(),
    repository: z.string().describe('absolute path of the repository'),
    workflow: z.string(),
    agent: z.string().nullable().describe('the agent that all stages use instead of their own'),
    status: z.enum(TASK_STATUSES),
    priority: z.int().describe('a higher one goes first'),
    isolation: z.object({
      requested: IsolationModeSchema,
      effective: IsolationModeSchema.nullable().describe('null before the workspace is there'),
      reason: z.string().nullable().describe('why effective differs from requested'),
    }),
    workspaceId: z.string().nullable(),
    workspaceName: z.string().nullable(),
    worktreePath: z.string().nullable().describe('where the files are or, after a cleanup, were'),
    workspaceKept: z.boolean().describe('whether the workspace is still there'),
    branch: z.string().nullable(),
    base: z.string().nullable().describe('the commit that it started from'),
    head: z.string().nullable().describe('the commit that the branch was at after the last stage'),
    stages: z.array(StageSchema),
    validation: z.array(ValidationResultSchema),
    usage: UsageSchema,
    failure: FailureSchema.optional(),
    runs: z.array(RunSchema).describe('one for each time that it was begun or resumed'),
    landed: z.object({ into: z.string(), commit: z.string() }).nullable(),
    published: z.object({ remote: z.string(), pullRequest: z.string().nullable() }).nullable(),
    warnings: z.array(z.string()),
    createdAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'task', title: 'Task' });
export type Task = Readonly<z.infer<typeof TaskSchema>>;

/** An agent with everything that is needed to call it, as it was when the task was made. */
export interface ResolvedAgent {
  /** As the workflow calls it. */
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

/** What the store keeps of a task beyond its public face: all that is needed to go on after a crash. */
export interface TaskRecord extends Task {
  readonly repositoryId: string;
  /** The process that works on it or waits for its turn; null when none does. */
  readonly owner: ProcessIdentity | null;
  /** When the owner last showed that it is there. */
  readonly heartbeatAt: string | null;
  readonly cancelRequestedAt: string | null;
  readonly plan: TaskPlan;
}

/** Decided when the task was made; a later change of the repository's files changes nothing of it. */
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
  /** What becomes of the workspace. */
  readonly cleanupOnComplete: boolean;
  readonly preserveOnFailure: boolean;
  /** Digest of the repository's setup commands that were approved for this task alone; null when none were. */
  readonly trust: string | null;
  /** What follows success. */
  readonly land: { readonly into: string | null } | null;
  readonly publish: { readonly remote: string; readonly pullRequest: boolean } | null;
  /** Set when a server has accepted it. */
  readonly request?: AcceptedRequest | undefined;
}

/** What a server remembers of the request that it made a task for; here, so that it is there as soon as the task is. */
export interface AcceptedRequest {
  /** The repository as it was named. */
  readonly targetRepository: string;
  /** Digests of the caller's Idempotency-Key and of the body that came with it; null without one. */
  readonly idempotency: { readonly key: string; readonly body: string } | null;
}
