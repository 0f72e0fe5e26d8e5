import { findPreset } from '../../agent/presets.js';
import { type KnownAgents, loadAgents } from '../../config/agents/load-agents.js';
import type { AgentRequest } from '../../config/agents/resolve-agents.js';
import type { LoadedConfig } from '../../config/load-config.js';
import { checkWorkflow, type WorkflowCheck } from '../../config/workflows/check-workflow.js';
import { type ChosenIsolation, chooseTaskIsolation } from '../../config/workflows/chosen-isolation.js';
import {
  type LoadedWorkflow,
  requireTriggered,
  requireWorkflow,
} from '../../config/workflows/load-workflows.js';
import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceStrategy } from '../../domain/isolation/workspace-config.js';
import type { IsolationMode } from '../../domain/isolation.js';
import type { ResolvedAgent } from '../../domain/task/task.js';
import type { Context } from '../context.js';
import { findMissingProgram } from './missing-agent-program.js';

/** What the caller chooses of a task; the files choose the rest. */
export interface TaskOptions {
  /** `tasks.workflow` when left out. */
  readonly workflow?: string | undefined;
  /** Chooses the workflow that this trigger starts. */
  readonly trigger?: string | undefined;
  /** Instead of the agents that the stages name. */
  readonly agent?: string | undefined;
  readonly isolation?: IsolationMode | undefined;
  readonly workspace?: { readonly strategy?: WorkspaceStrategy | undefined } | undefined;
}

/** Everything in the repository's and the user's files about a task. */
export interface TaskDefinition {
  readonly loaded: LoadedConfig;
  readonly workflow: LoadedWorkflow;
  /** What resolveAgents takes. */
  readonly request: AgentRequest;
  readonly isolation: ChosenIsolation;
  readonly check: WorkflowCheck;
}

/** UNKNOWN_WORKFLOW, or what is wrong with its file. Whether it can run is in `check`. */
export async function defineTask(
  context: Pick<Context, 'places' | 'environment' | 'loadConfig'>,
  repositoryRoot: string | null,
  options: TaskOptions,
): Promise<TaskDefinition> {
  const definitions = await loadDefinitions(context, repositoryRoot);
  const workflow = await findWorkflow(repositoryRoot, definitions.loaded, options);
  return defineTaskOf(context, definitions, workflow, options);
}

function findWorkflow(
  repositoryRoot: string | null,
  { config }: LoadedConfig,
  { workflow, trigger }: TaskOptions,
): Promise<LoadedWorkflow> {
  if (trigger === undefined) return requireWorkflow(repositoryRoot, workflow ?? config.tasks.workflow);
  if (workflow === undefined) return requireTriggered(repositoryRoot, trigger);
  throw carrelError('INVALID_INPUT', {
    what: 'the workflow',
    found: `${workflow} together with the trigger ${trigger}`,
    expected: 'one of the two',
  });
}

/** What all workflows of a repository have in common. */
export interface Definitions {
  readonly loaded: LoadedConfig;
  readonly known: KnownAgents;
}

export async function loadDefinitions(
  context: Pick<Context, 'places' | 'loadConfig'>,
  repositoryRoot: string | null,
): Promise<Definitions> {
  const loaded = await context.loadConfig(repositoryRoot);
  const userFile = context.places.userConfigFile;
  return { loaded, known: await loadAgents({ repositoryRoot, userFile, loaded }) };
}

export function defineTaskOf(
  context: Pick<Context, 'places' | 'environment'>,
  { loaded, known }: Definitions,
  workflow: LoadedWorkflow,
  options: TaskOptions,
): TaskDefinition {
  const usual = loaded.config.tasks.agent;
  const request = { workflow: workflow.definition, known, usual, instead: options.agent };
  const isolation = chooseTaskIsolation({
    workflow,
    loaded,
    flag: options.isolation,
    strategy: options.workspace?.strategy,
  });
  const check = checkWorkflow({
    request,
    mode: isolation.mode,
    findMissingProgram: agent => findMissingProgram(context, agent),
    warnOfAgents: agents => (isolation.mode === 'full' ? [] : warnOfAllowing(agents)),
  });
  const warnings = [...(isolation.warning ? [isolation.warning] : []), ...check.warnings];
  return { loaded, workflow, request, isolation, check: { ...check, warnings } };
}

function warnOfAllowing(agents: readonly ResolvedAgent[]): string[] {
  const presets = agents.flatMap(({ program }) =>
    program.kind === 'preset' ? [findPreset(program.preset)] : [],
  );
  const titles = new Set(presets.filter(preset => preset.allowsAllOnHost).map(preset => preset.title));
  return [...titles].map(
    title => `${title} has full access to this machine; run it in a sandbox with --isolation full`,
  );
}
