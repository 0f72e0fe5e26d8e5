import type { KnownAgent, KnownAgents } from '../../config/agents/load-agents.js';
import {
  type AgentPart,
  composeAgent,
  listAgentNames,
  type PartKey,
} from '../../config/agents/resolve-agents.js';
import { defaultConfig } from '../../config/defaults/defaults.js';
import type { LoadedConfig } from '../../config/load-config.js';
import { type LoadedWorkflow, loadWorkflows } from '../../config/workflows/load-workflows.js';
import type { Expectation } from '../../domain/workflow/validation.js';
import type { Context } from '../context.js';
import { loadDefinitions, type TaskDefinition } from './define-task.js';

/**
 * What the repository's own files would run in this task, as lines for the user to read and approve. A line means one command in one
 * position and nothing else, regardless of the names that the repository chooses.
 */
export function listTaskCommands(definition: TaskDefinition): string[] {
  const { loaded, workflow } = definition;
  return unique([
    ...composeAll(definition).flatMap(({ parts }) => describeAgents(parts, COMMAND_KEYS)),
    ...describeWorkflow(workflow),
    ...describeTaskValidation(loaded),
  ]);
}

/**
 * Which agents the repository's own files choose for this task, as such lines too. That alone runs nothing of the repository's, but it
 * starts one of the user's programs without confirmation, with the repository's instructions.
 */
export function listAgentChoices(definition: TaskDefinition): string[] {
  const { loaded, workflow, request } = definition;
  const agents = composeAll(definition);
  return unique([
    ...agents.flatMap(({ parts }) => describeAgents(parts, CHOICE_KEYS)),
    ...(agents.some(({ usesUsual }) => usesUsual) ? describeUsual(loaded) : []),
    ...(request.instead === undefined ? describeStageAgents(workflow, request.known, loaded) : []),
  ]);
}

/** What the repository's own files would run, or choose, of one agent alone. */
export const listAgentLines = (parts: readonly AgentPart[]): string[] =>
  unique(describeAgents(parts, [...COMMAND_KEYS, ...CHOICE_KEYS]));

/** The lines of all tasks that the repository could have. A file that can't be used runs nothing. */
export async function listAllTaskCommands(
  context: Pick<Context, 'places' | 'loadConfig'>,
  repositoryRoot: string,
): Promise<string[]> {
  const { loaded, known } = await loadDefinitions(context, repositoryRoot);
  const workflows = await listUsableWorkflows(repositoryRoot);
  const keys = [...COMMAND_KEYS, ...CHOICE_KEYS];
  const agents = [...known.byName.values()].map(agent => ({ agent, keys }));
  return unique([
    ...describeAgents(agents, keys),
    ...workflows.flatMap(describeWorkflow),
    ...describeTaskValidation(loaded),
    ...describeUsual(loaded),
    ...workflows.flatMap(workflow => describeStageAgents(workflow, known, loaded)),
  ]);
}

/** The workflows of a repository, without files that can't be used. */
export const listUsableWorkflows = async (repositoryRoot: string): Promise<LoadedWorkflow[]> =>
  (await loadWorkflows(repositoryRoot)).flatMap(each => ('definition' in each ? [each] : []));

const COMMAND_KEYS: readonly PartKey[] = ['command', 'arguments', 'files'];
const CHOICE_KEYS: readonly PartKey[] = ['preset', 'model'];

const composeAll = ({ request }: TaskDefinition) =>
  listAgentNames(request.workflow).map(name => composeAgent(request, name));

/** `agents.developer.command: ./agent.sh`. The names of agents have no ambiguous character. */
function describeAgents(parts: readonly AgentPart[], wanted: readonly PartKey[]): string[] {
  return parts.flatMap(({ agent, keys }) =>
    wanted
      .filter(key => keys.includes(key) && agent.fromRepository(key))
      .flatMap(key => describeKey(agent, key).map(text => `agents.${agent.name}.${key}${text}`)),
  );
}

function describeKey({ settings }: KnownAgent, key: PartKey): string[] {
  if (key === 'files')
    return Object.entries(settings.files ?? {}).map(([path, text]) => ` ${JSON.stringify(path)}: ${text}`);
  const value = settings[key];
  if (value === undefined) return [];
  // Marked as a list, because the same text would be run by a shell.
  return [typeof value === 'string' ? `: ${value}` : ` as a list: ${JSON.stringify(value)}`];
}

/** `workflow feature, check of implementation: npm test` */
function describeWorkflow({ name, source, definition }: LoadedWorkflow): string[] {
  if (source === 'built-in') return [];
  const place = `workflow ${quote(name)}`;
  const checks = definition.stages.flatMap(stage =>
    (stage.checks ?? []).map(check => `${place}, check of ${quote(stage.name)}: ${check}`),
  );
  return [...checks, ...describeValidation(`${place}, validation`, definition.validation ?? [])];
}

/** `tasks.agent: amp`, unless it is the user's default anyway. */
function describeUsual(loaded: LoadedConfig): string[] {
  const { agent } = loaded.config.tasks;
  return loaded.fromRepository('tasks.agent') && agent !== findOwnAgent(loaded)
    ? [`tasks.agent: ${agent}`]
    : [];
}

/** `workflow feature, agent of planning: amp`, for agents that the user has not configured. */
function describeStageAgents(
  { name, source, definition }: LoadedWorkflow,
  { byName }: KnownAgents,
  loaded: LoadedConfig,
): string[] {
  if (source === 'built-in') return [];
  const isOwn = (agent: string) =>
    agent === findOwnAgent(loaded) || loaded.userValue(['agents', agent]) !== undefined;
  // A preset chosen by the repository itself has a separate line.
  const isBroughtByCarrel = (agent: KnownAgent | undefined) =>
    agent?.settings.preset !== undefined && !agent.fromRepository('preset');
  return definition.stages
    .filter(({ agent }) => isBroughtByCarrel(byName.get(agent)) && !isOwn(agent))
    .map(stage => `workflow ${quote(name)}, agent of ${quote(stage.name)}: ${stage.agent}`);
}

/** The user's default agent without any repository. */
const findOwnAgent = ({ userValue }: LoadedConfig): unknown =>
  userValue(['tasks', 'agent']) ?? defaultConfig.tasks.agent;

const describeTaskValidation = ({ config, fromRepository }: LoadedConfig): string[] =>
  fromRepository('tasks.validation') ? describeValidation('tasks.validation', config.tasks.validation) : [];

const describeValidation = (place: string, expectations: readonly Expectation[]): string[] =>
  expectations.flatMap(each => ('run' in each ? [`${place}: ${each.run}`] : []));

/** A plain name unchanged; others are quoted, because a colon or comma could make one line look like another. */
const quote = (name: string): string => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name));

const unique = (lines: readonly string[]): string[] => [...new Set(lines)];
