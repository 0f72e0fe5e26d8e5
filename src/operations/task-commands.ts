import type { LoadedConfig } from '../config/load.js';
import type { KnownAgent } from '../config/load-agents.js';
import { type LoadedWorkflow, loadWorkflows } from '../config/load-workflows.js';
import { type AgentPart, composeAgent, listAgentNames } from '../config/resolve-agents.js';
import type { Expectation } from '../domain/validation.js';
import type { Context } from './context.js';
import { loadDefinitions, type TaskDefinition } from './define-task.js';

/**
 * What the repository's own files would run in this task, as lines that a person can read and approve. A line stands for
 * one command at one place and for nothing else, whatever names the repository chooses.
 */
export function listTaskCommands({ loaded, workflow, request }: TaskDefinition): string[] {
  const parts = listAgentNames(request.workflow).flatMap(name => composeAgent(request, name).parts);
  return unique([
    ...parts.flatMap(describeAgent),
    ...describeWorkflow(workflow),
    ...describeTaskValidation(loaded),
  ]);
}

/** The lines of all tasks that the repository could have. A file that can't be used runs nothing. */
export async function listAllTaskCommands(context: Context, repositoryRoot: string): Promise<string[]> {
  const { loaded, known } = await loadDefinitions(context, repositoryRoot);
  const workflows = await loadWorkflows(repositoryRoot);
  const agents = [...known.byName.values()].map(agent => ({ agent, keys: ALL_KEYS }));
  return unique([
    ...agents.flatMap(describeAgent),
    ...workflows.flatMap(each => ('definition' in each ? describeWorkflow(each) : [])),
    ...describeTaskValidation(loaded),
  ]);
}

const ALL_KEYS = ['command', 'arguments', 'files'] as const satisfies AgentPart['keys'];

/** `agents.developer.command: ./agent.sh`. The names of agents have no character that could be mistaken. */
function describeAgent({ agent, keys }: AgentPart): string[] {
  return keys.filter(agent.fromRepository).flatMap(key => {
    const place = `agents.${agent.name}.${key}`;
    return describeKey(agent, key).map(text => `${place}${text}`);
  });
}

function describeKey({ settings }: KnownAgent, key: AgentPart['keys'][number]): string[] {
  if (key === 'files')
    return Object.entries(settings.files ?? {}).map(([path, text]) => ` ${JSON.stringify(path)}: ${text}`);
  const value = settings[key];
  if (value === undefined) return [];
  // A list is not the text that it looks like: that would be for the shell.
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

const describeTaskValidation = ({ config, fromRepository }: LoadedConfig): string[] =>
  fromRepository('tasks.validation') ? describeValidation('tasks.validation', config.tasks.validation) : [];

const describeValidation = (place: string, expectations: readonly Expectation[]): string[] =>
  expectations.flatMap(each => ('run' in each ? [`${place}: ${each.run}`] : []));

/** A name of plain characters as it is; in any other, a colon or comma could make one line look like another. */
const quote = (name: string): string => (/^[\w.-]+$/.test(name) ? name : JSON.stringify(name));

const unique = (lines: readonly string[]): string[] => [...new Set(lines)];
