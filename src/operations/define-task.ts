import { findPreset } from '../agent/presets.js';
import { checkWorkflow, type WorkflowCheck } from '../config/check-workflow.js';
import type { LoadedConfig } from '../config/load.js';
import { type KnownAgents, loadAgents } from '../config/load-agents.js';
import { type LoadedWorkflow, requireWorkflow } from '../config/load-workflows.js';
import type { AgentRequest } from '../config/resolve-agents.js';
import { chooseTaskIsolation, type TaskIsolation } from '../config/task-isolation.js';
import type { IsolationMode } from '../domain/isolation.js';
import type { ResolvedAgent } from '../domain/task.js';
import type { Context } from './context.js';
import { findMissingProgram } from './missing-program.js';

/** What the caller chooses of a task; the files choose the rest. */
export interface TaskWishes {
  /** `tasks.workflow` when left out. */
  readonly workflow?: string | undefined;
  /** Instead of the agents that the stages name. */
  readonly agent?: string | undefined;
  readonly isolation?: IsolationMode | undefined;
}

/** All that the files of a repository and of the user say about a task. */
export interface TaskDefinition {
  readonly loaded: LoadedConfig;
  readonly workflow: LoadedWorkflow;
  /** What resolveAgents takes. */
  readonly request: AgentRequest;
  readonly isolation: TaskIsolation;
  readonly check: WorkflowCheck;
}

/** UNKNOWN_WORKFLOW, or what is wrong with its file. Whether it can run is in `check`. */
export async function defineTask(
  context: Context,
  repositoryRoot: string | null,
  wishes: TaskWishes,
): Promise<TaskDefinition> {
  const definitions = await loadDefinitions(context, repositoryRoot);
  const name = wishes.workflow ?? definitions.loaded.config.tasks.workflow;
  const workflow = await requireWorkflow(repositoryRoot, name);
  return defineTaskOf(context, definitions, workflow, wishes);
}

/** What all workflows of a repository have in common. */
export interface Definitions {
  readonly loaded: LoadedConfig;
  readonly known: KnownAgents;
}

export async function loadDefinitions(context: Context, repositoryRoot: string | null): Promise<Definitions> {
  const loaded = await context.loadConfig(repositoryRoot);
  const userFile = context.places.userConfigFile;
  return { loaded, known: await loadAgents({ repositoryRoot, userFile, loaded }) };
}

export function defineTaskOf(
  context: Context,
  { loaded, known }: Definitions,
  workflow: LoadedWorkflow,
  wishes: TaskWishes,
): TaskDefinition {
  const usual = loaded.config.tasks.agent;
  const request = { workflow: workflow.definition, known, usual, instead: wishes.agent };
  const isolation = chooseTaskIsolation({ workflow, loaded, flag: wishes.isolation });
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
    title => `${title} is allowed everything on this machine; --isolation full puts a sandbox around it`,
  );
}
