import { resolveAgents } from '../config/resolve-agents.js';
import { NO_USAGE } from '../domain/add-usage.js';
import type { TaskLimits } from '../domain/agent.js';
import { carrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { IsolationMode } from '../domain/isolation.js';
import { parseDuration } from '../domain/quantity.js';
import type { Stage, Task, TaskPlan, TaskRecord } from '../domain/task.js';
import { toTask } from '../domain/task-state.js';
import type { WorkflowStage } from '../domain/workflow.js';
import type { Context } from '../operations/context.js';
import { defineTask, type TaskDefinition } from '../operations/define-task.js';
import { locateRepository } from '../operations/locate-repository.js';
import { applyTemplate } from '../operations/settings.js';
import { listTaskCommands } from '../operations/task-commands.js';
import { requireTaskTrust, requireTrust } from '../operations/trust.js';
import type { Repository } from '../workspace/backend.js';
import { taskEvent } from './task-event.js';
import { taskWorkspaceName } from './task-workspace-name.js';

export interface CreateTaskInput {
  /** A directory in the repository. */
  readonly repository: string;
  /** What is to be done. */
  readonly description: string;
  readonly workflow?: string | undefined;
  /** The agent that all stages use instead of their own. */
  readonly agent?: string | undefined;
  readonly isolation?: IsolationMode | undefined;
  /** Refuse instead of falling back to less isolation. */
  readonly strict?: boolean | undefined;
  /** A branch, tag or commit to start from; the repository's HEAD by default. */
  readonly base?: string | undefined;
  /** Leave the workspace in place, also on success. */
  readonly keep?: boolean | undefined;
  /** A higher one goes first; 0 by default. */
  readonly priority?: number | undefined;
  /** Milliseconds for all of it. */
  readonly timeoutMs?: number | undefined;
  readonly limits?: TaskLimits | undefined;
  /** Land the work on success; null for the branch that it started from. */
  readonly land?: { readonly into: string | null } | undefined;
  readonly publish?: { readonly remote: string; readonly pullRequest: boolean } | undefined;
  /** Run the repository's commands without an approval on record. */
  readonly trust?: boolean | undefined;
}

/** Makes a task that waits to be executed. Everything that can be known to be wrong is said before it exists. */
export async function createTask(context: Context, input: CreateTaskInput): Promise<Task> {
  const description = requireDescription(input.description);
  const repository = await locateRepository(context, input.repository);
  const defined = await defineTask(context, repository.root, input);
  const [problem] = defined.check.problems;
  if (problem) throw problem;
  if (!input.trust) await requireTrusted(context, repository, defined);
  const begun = begin(context, repository, makePlan(input, defined));
  const task: TaskRecord = {
    ...begun,
    description,
    workflow: defined.workflow.name,
    agent: input.agent ?? null,
    priority: input.priority ?? 0,
    isolation: { requested: defined.isolation.mode, effective: null, reason: null },
    workspaceName: taskWorkspaceName(description, begun.id),
    warnings: [...defined.check.warnings],
  };
  await context.store.tasks.insert(task, [
    taskEvent(task, 'task.created', { description, workflow: task.workflow }),
  ]);
  context.onStep('task', 'created');
  return toTask(task);
}

/** What the repository's files would run: to set the workspace up, and in the stages. */
async function requireTrusted(
  context: Context,
  repository: Repository,
  defined: TaskDefinition,
): Promise<void> {
  await requireTrust(context, repository, await applyTemplate(context, repository, undefined));
  await requireTaskTrust(context, repository, listTaskCommands(defined));
}

/** Bytes of UTF-8; a longer one belongs in a file that the description names. */
const LONGEST_DESCRIPTION = 256 * 1024;

function requireDescription(text: string): string {
  const description = text.trim();
  const bytes = Buffer.byteLength(description);
  if (bytes > 0 && bytes <= LONGEST_DESCRIPTION) return description;
  throw carrelError('INVALID_INPUT', {
    what: 'the description',
    found: bytes === 0 ? 'empty' : `${bytes} bytes`,
    expected: `what is to be done, in at most ${LONGEST_DESCRIPTION} bytes`,
  });
}

function makePlan(input: CreateTaskInput, { loaded, workflow, request }: TaskDefinition): TaskPlan {
  const { workspace, tasks } = loaded.config;
  const { definition } = workflow;
  return {
    workflow: definition,
    agents: resolveAgents(request),
    validation: [...tasks.validation, ...(definition.validation ?? [])],
    limits: strictest(tasks.limits, definition.limits ?? {}, input.limits ?? {}),
    timeoutMs: findTimeout(input, definition.timeout),
    retryDelayMs: parseDuration(tasks.retryDelay),
    baseRef: input.base ?? null,
    strict: input.strict ?? false,
    cleanupOnComplete: workspace.cleanupOnComplete && !input.keep,
    preserveOnFailure: workspace.preserveOnFailure || input.keep === true,
    trust: input.trust ?? false,
    land: input.land ?? null,
    publish: input.publish ?? null,
  };
}

function strictest(...limits: readonly TaskLimits[]): TaskLimits {
  const least = (values: readonly (number | undefined)[]) => {
    const given = values.filter(value => value !== undefined);
    return given.length === 0 ? undefined : Math.min(...given);
  };
  const tokens = least(limits.map(limit => limit.tokens));
  const costUsd = least(limits.map(limit => limit.costUsd));
  return { ...(tokens !== undefined && { tokens }), ...(costUsd !== undefined && { costUsd }) };
}

/** The person's word is stronger than the file's. */
function findTimeout({ timeoutMs }: CreateTaskInput, ofWorkflow: string | undefined): number | null {
  return timeoutMs ?? (ofWorkflow === undefined ? null : parseDuration(ofWorkflow));
}

/** A task of which nothing has happened yet. */
function begin(
  context: Context,
  repository: Repository,
  plan: TaskPlan,
): Omit<
  TaskRecord,
  'description' | 'workflow' | 'agent' | 'priority' | 'isolation' | 'workspaceName' | 'warnings'
> {
  return {
    id: createId('task', context.ids),
    repository: repository.root,
    repositoryId: repository.id,
    status: 'waiting',
    workspaceId: null,
    worktreePath: null,
    workspaceKept: false,
    branch: null,
    base: null,
    head: null,
    stages: plan.workflow.stages.map(newStage),
    validation: [],
    usage: NO_USAGE,
    runs: [],
    landed: null,
    published: null,
    createdAt: new Date(context.now()).toISOString(),
    endedAt: null,
    owner: null,
    heartbeatAt: null,
    cancelRequestedAt: null,
    plan,
  };
}

const newStage = ({ name, agent }: WorkflowStage): Stage => ({
  name,
  agent,
  status: 'pending',
  startedAt: null,
  endedAt: null,
  attempts: 0,
  exitCode: null,
  outputs: [],
  usage: NO_USAGE,
  changed: null,
  commit: null,
  message: null,
  workspaceName: null,
  warnings: [],
});
