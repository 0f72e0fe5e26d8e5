import { resolveAgents } from '../config/agents/resolve-agents.js';
import type { TaskLimits } from '../domain/agent/agent.js';
import { carrelError } from '../domain/error/error.js';
import type { WorkspaceStrategy } from '../domain/isolation/workspace-config.js';
import { createWorkspaceConfigFromMode, modeOfStrategy } from '../domain/isolation/workspace-strategy.js';
import type { IsolationMode } from '../domain/isolation.js';
import { parseDuration } from '../domain/quantity/quantity.js';
import type {
  AcceptedRequest,
  PlannedFleet,
  PlannedRepository,
  Task,
  TaskPlan,
  TaskRecord,
} from '../domain/task/task.js';
import { toTask } from '../domain/task/task-state.js';
import type { Context } from '../operations/context.js';
import { locateRepository } from '../operations/repository/locate-repository.js';
import { defineTask, type TaskDefinition } from '../operations/task/define-task.js';
import { explainMissing, findMissingProgram } from '../operations/task/missing-agent-program.js';
import { type Approval, approveTask } from './queue/approve-task.js';
import { insertTask } from './queue/insert-task.js';
import { warnOfLimits } from './queue/limit-warnings.js';
import { newTask } from './queue/new-task.js';
import { planForFleet } from './queue/plan-for-fleet.js';
import { planRepositories } from './queue/plan-repositories.js';
import { requireStartable } from './queue/require-startable.js';
import { strictestLimits } from './queue/strictest-limits.js';
import { promiseTaker, type Taker } from './record/task-owner.js';
import { describeRepositories } from './record/task-repositories.js';

/** The workspace of a task, as its caller chooses it; the configuration decides the rest. */
export interface TaskWorkspace {
  readonly strategy?: WorkspaceStrategy | undefined;
  readonly cleanup?: boolean | undefined;
  readonly preserveOnFailure?: boolean | undefined;
}

/** Options of a new task. */
export interface CreateTaskInput {
  /** A directory in the repository. */
  readonly repository: string;
  /** The description of the work. */
  readonly description: string;
  readonly workflow?: string | undefined;
  /** Instead of `workflow`: the one that this trigger starts, as its file says. */
  readonly trigger?: string | undefined;
  /** The agent for all stages, replacing their own. */
  readonly agent?: string | undefined;
  readonly isolation?: IsolationMode | undefined;
  /** Refuse instead of falling back to less isolation. */
  readonly strict?: boolean | undefined;
  /** The workspace as a strategy, instead of `isolation`, and what happens to it at the end. */
  readonly workspace?: TaskWorkspace | undefined;
  /** A branch, tag or commit to start from; the repository's HEAD by default. */
  readonly base?: string | undefined;
  /** The branch to work on; made if it does not exist. */
  readonly branch?: string | undefined;
  /** The issue that the description comes from. */
  readonly issue?: Task['issue'];
  /** Leave the workspace in place, even on success. */
  readonly keep?: boolean | undefined;
  /** Higher runs first; 0 by default. */
  readonly priority?: number | undefined;
  /** Time limit of the whole task in milliseconds. */
  readonly timeoutMs?: number | undefined;
  readonly limits?: TaskLimits | undefined;
  /** Land the work on success; null for the branch that it started from. */
  readonly land?: { readonly into: string | null } | undefined;
  readonly publish?: { readonly remote: string; readonly pullRequest: boolean } | undefined;
  /** Run the repository's commands without a recorded approval. */
  readonly trust?: boolean | undefined;
  /** Run it on a fleet instead of this machine. */
  readonly fleet?: Pick<PlannedFleet, 'address' | 'labels'> | undefined;
  readonly taker?: Taker;
  /** Set when a server accepted it. */
  readonly request?: AcceptedRequest | undefined;
  /** May refuse another repository of the workflow, before the task exists. */
  readonly check?: ((found: { readonly repository: string }) => Promise<void>) | undefined;
}

/**
 * Creates a task that waits to be executed. Fails first when something is known to be wrong with it.
 * `carrel.createTask` of `createCarrel` is the same with fewer arguments.
 *
 * @example
 * ```ts
 * import { createTask, executeTask } from 'carrel';
 * import { openApp } from 'carrel/advanced';
 *
 * const app = await openApp({ environment: { PATH: process.env.PATH ?? '' }, cwd: process.cwd() });
 * const { id } = await createTask(app, { repository: process.cwd(), description: 'Add a dark mode' });
 * const { status } = await executeTask(app, { id });
 * await app.close();
 * ```
 */
export async function createTask(context: Context, input: CreateTaskInput): Promise<Task> {
  const description = requireDescription(input.description);
  requireOneMode(input);
  const repository = await locateRepository(context, input.repository);
  const defined = await defineTask(context, repository.root, input);
  const [problem] = defined.check.problems;
  if (problem) throw problem;
  const approval = await approveTask(context, repository, defined, input);
  await requireStartable(context, repository, defined, input);
  const others = await planRepositories(context, repository, defined, input);
  const plan = makePlan(input, defined, approval, others);
  if (approval.effective !== 'full' && !input.fleet) requirePrograms(context, plan);
  const { agent = null, priority = 0, issue } = input;
  const draft: TaskRecord = {
    ...newTask(context, repository, { description, agent, priority, plan, ...(issue && { issue }) }),
    ...promiseTaker(context, input.taker),
    isolation: { requested: defined.isolation.mode, effective: null, reason: null },
    workspace: describeWorkspace(defined, plan),
    ...describeRepositories(repository, others),
    warnings: [...defined.check.warnings, ...warnOfLimits(plan.limits, plan.agents)],
  };
  const task = input.fleet
    ? await insertTask(
        context,
        repository,
        await planForFleet(context, repository, draft, { fleet: input.fleet, keep: input.keep }),
      )
    : await insertTask(context, repository, draft);
  context.onStep('task', 'created');
  return toTask(task);
}

/** PROGRAM_NOT_INSTALLED. A sandbox may have other programs, so they are checked when it exists. */
function requirePrograms(context: Pick<Context, 'places' | 'environment'>, { agents }: TaskPlan): void {
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
    expected: `a description of at most ${LONGEST_DESCRIPTION} bytes`,
  });
}

/** Control characters change what a terminal shows, and program arguments cannot contain NUL. */
function findDescriptionProblem(description: string): string | undefined {
  const bytes = Buffer.byteLength(description);
  if (bytes === 0) return 'empty';
  if (bytes > LONGEST_DESCRIPTION) return `${bytes} bytes`;
  const control = /(?![\n\r\t])\p{Cc}/u.exec(description)?.[0];
  return control === undefined ? undefined : `text with the control character ${JSON.stringify(control)}`;
}

/** Two words for one thing must not disagree. */
function requireOneMode({ isolation, workspace }: CreateTaskInput): void {
  const { strategy } = workspace ?? {};
  if (isolation === undefined || strategy === undefined || modeOfStrategy(strategy) === isolation) return;
  throw carrelError('INVALID_INPUT', {
    what: 'the isolation mode',
    found: `${isolation} together with the strategy ${strategy}, which is ${modeOfStrategy(strategy)}`,
    expected: 'one of the two',
  });
}

function describeWorkspace({ isolation }: TaskDefinition, plan: TaskPlan): Task['workspace'] {
  const { cleanup, preserveOnFailure } = createWorkspaceConfigFromMode(isolation.mode, {
    cleanup: plan.cleanupOnComplete,
    preserveOnFailure: plan.preserveOnFailure,
  });
  return { strategy: isolation.strategy, cleanup, preserveOnFailure };
}

function makePlan(
  input: CreateTaskInput,
  { loaded, workflow, request, isolation }: TaskDefinition,
  { strict, trust }: Approval,
  repositories: readonly PlannedRepository[],
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
    askedBy: isolation.askedBy,
    ...(input.branch !== undefined && { branch: input.branch }),
    ...(isolation.prefersContainer && { prefersContainer: true }),
    ...(repositories.length > 0 && { repositories }),
    cleanupOnComplete: (input.workspace?.cleanup ?? workspace.cleanupOnComplete) && !input.keep,
    preserveOnFailure:
      (input.workspace?.preserveOnFailure ?? workspace.preserveOnFailure) || input.keep === true,
    trust,
    land: input.land ?? null,
    publish: input.publish ?? null,
    ...(input.request && { request: input.request }),
  };
}

/** The user's options take precedence over the file's. */
function findTimeout({ timeoutMs }: CreateTaskInput, ofWorkflow: string | undefined): number | null {
  return timeoutMs ?? (ofWorkflow === undefined ? null : parseDuration(ofWorkflow));
}
