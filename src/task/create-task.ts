import { resolveAgents } from '../config/resolve-agents.js';
import type { TaskLimits } from '../domain/agent.js';
import { carrelError } from '../domain/error.js';
import type { IsolationMode } from '../domain/isolation.js';
import { parseDuration } from '../domain/quantity.js';
import type { AcceptedRequest, Task, TaskPlan, TaskRecord } from '../domain/task.js';
import { toTask } from '../domain/task-state.js';
import type { Context } from '../operations/context.js';
import { defineTask, type TaskDefinition } from '../operations/define-task.js';
import { locateRepository } from '../operations/locate-repository.js';
import { explainMissing, findMissingProgram } from '../operations/missing-program.js';
import { type Approval, approveTask } from './approve-task.js';
import { warnOfLimits } from './limit-warnings.js';
import { newTask } from './new-task.js';
import { strictestLimits } from './strictest-limits.js';
import { taskEvent } from './task-event.js';
import { promiseTaker, type Taker } from './task-owner.js';

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
  readonly taker?: Taker;
  /** Where a server has accepted it. */
  readonly request?: AcceptedRequest | undefined;
}

/** Makes a task that waits to be executed. Everything that can be known to be wrong is said before it exists. */
export async function createTask(context: Context, input: CreateTaskInput): Promise<Task> {
  const description = requireDescription(input.description);
  const repository = await locateRepository(context, input.repository);
  const defined = await defineTask(context, repository.root, input);
  const [problem] = defined.check.problems;
  if (problem) throw problem;
  const approval = await approveTask(context, repository, defined, input);
  const plan = makePlan(input, defined, approval);
  if (approval.effective !== 'full') requirePrograms(context, plan);
  const { agent = null, priority = 0 } = input;
  const task: TaskRecord = {
    ...newTask(context, repository, { description, agent, priority, plan }),
    ...promiseTaker(context, input.taker),
    isolation: { requested: defined.isolation.mode, effective: null, reason: null },
    warnings: [...defined.check.warnings, ...warnOfLimits(plan.limits, plan.agents)],
  };
  await context.store.tasks.insert(task, [
    taskEvent(task, 'task.created', { description, workflow: task.workflow }),
  ]);
  context.onStep('task', 'created');
  return toTask(task);
}

/** PROGRAM_NOT_INSTALLED. In a sandbox there may be other programs than here, which is seen when it is there. */
function requirePrograms(context: Context, { agents }: TaskPlan): void {
  for (const agent of Object.values(agents)) {
    const missing = findMissingProgram(context, agent);
    if (missing !== undefined) throw explainMissing(agent, missing, false);
  }
}

/** Bytes of UTF-8; a longer one belongs in a file that the description names. */
const LONGEST_DESCRIPTION = 256 * 1024;

function requireDescription(text: string): string {
  const description = text.trim();
  const found = findDescriptionProblem(description);
  if (found === undefined) return description;
  throw carrelError('INVALID_INPUT', {
    what: 'the description',
    found,
    expected: `what is to be done, in at most ${LONGEST_DESCRIPTION} bytes`,
  });
}

/** Control characters change what a terminal shows, and no argument of a program can have a NUL. */
function findDescriptionProblem(description: string): string | undefined {
  const bytes = Buffer.byteLength(description);
  if (bytes === 0) return 'empty';
  if (bytes > LONGEST_DESCRIPTION) return `${bytes} bytes`;
  const control = /(?![\n\r\t])\p{Cc}/u.exec(description)?.[0];
  return control === undefined ? undefined : `text with the control character ${JSON.stringify(control)}`;
}

function makePlan(
  input: CreateTaskInput,
  { loaded, workflow, request }: TaskDefinition,
  { strict, trust }: Approval,
): TaskPlan {
  const { workspace, tasks } = loaded.config;
  const { definition } = workflow;
  return {
    workflow: definition,
    agents: resolveAgents(request),
    validation: [...tasks.validation, ...(definition.validation ?? [])],
    limits: strictestLimits(tasks.limits, definition.limits ?? {}, input.limits ?? {}),
    timeoutMs: findTimeout(input, definition.timeout),
    retryDelayMs: parseDuration(tasks.retryDelay),
    baseRef: input.base ?? null,
    strict,
    cleanupOnComplete: workspace.cleanupOnComplete && !input.keep,
    preserveOnFailure: workspace.preserveOnFailure || input.keep === true,
    trust,
    land: input.land ?? null,
    publish: input.publish ?? null,
    ...(input.request && { request: input.request }),
  };
}

/** The person's word is stronger than the file's. */
function findTimeout({ timeoutMs }: CreateTaskInput, ofWorkflow: string | undefined): number | null {
  return timeoutMs ?? (ofWorkflow === undefined ? null : parseDuration(ofWorkflow));
}
