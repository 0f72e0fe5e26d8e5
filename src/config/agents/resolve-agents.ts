import { carrelError } from '../../domain/error/error.js';
import type { ResolvedAgent } from '../../domain/task/task.js';
import { nearest } from '../../domain/text/nearest-word.js';
import type { WorkflowDefinition } from '../../domain/workflow/workflow.js';
import { mergeValues } from '../files/merge-values.js';
import type { AgentSettings } from './built-in-agents.js';
import { hasProgram, type KnownAgent, type KnownAgents } from './load-agents.js';

export interface AgentRequest {
  readonly workflow: WorkflowDefinition;
  readonly known: KnownAgents;
  /** `tasks.agent`: the agent for roles without their own program. */
  readonly usual: string;
  /** `--agent`: the agent for every stage, regardless of the stage's own agent. */
  readonly instead?: string | undefined;
}

/**
 * Resolves every agent that the stages name, with everything needed to run it. A role without a program uses the default
 * agent, with the settings of the role on top, key by key. With `instead`, that agent runs every stage, with the
 * instructions and files of the stage's own agent. UNKNOWN_AGENT for an undefined name.
 */
export function resolveAgents(request: AgentRequest): Record<string, ResolvedAgent> {
  const names = listAgentNames(request.workflow);
  return Object.fromEntries(names.map(name => [name, resolveAgent(request, name)]));
}

/** In the order of the stages. */
export const listAgentNames = ({ stages }: WorkflowDefinition): string[] => [
  ...new Set(stages.map(stage => stage.agent)),
];

export const resolveAgent = (request: AgentRequest, name: string): ResolvedAgent =>
  toResolved(composeAgent(request, name));

/** A resolved agent, and its sources. */
export interface ComposedAgent {
  readonly name: string;
  readonly settings: AgentSettings;
  readonly parts: readonly AgentPart[];
  /** Whether its program comes from `tasks.agent`. */
  readonly usesUsual: boolean;
}

/** Who chose the program: a repository's choice needs the user's approval. */
export interface AgentPart {
  readonly agent: KnownAgent;
  readonly keys: readonly PartKey[];
}

export type PartKey = 'command' | 'arguments' | 'files' | 'preset' | 'model';

const WHOLE: readonly PartKey[] = ['command', 'arguments', 'files', 'preset', 'model'];

export function composeAgent(request: AgentRequest, name: string): ComposedAgent {
  const { known, instead, workflow } = request;
  const stage = workflow.stages.find(({ agent }) => agent === name)?.name;
  const role = requireAgent(known, name, `stage ${stage} of workflow ${workflow.name}`);
  if (instead === undefined || instead === name) return withProgram(request, role);
  const other = withProgram(request, requireAgent(known, instead, '--agent'));
  const files = { ...other.settings.files, ...role.settings.files };
  return {
    name,
    settings: { ...other.settings, files, instructions: role.settings.instructions },
    usesUsual: other.usesUsual,
    parts: [...other.parts, { agent: role, keys: ['files'] }],
  };
}

function withProgram({ known, usual }: AgentRequest, role: KnownAgent): ComposedAgent {
  const { name, settings } = role;
  if (hasProgram(settings))
    return { name, settings, parts: [{ agent: role, keys: WHOLE }], usesUsual: false };
  const program = requireProgram(known, usual);
  const together = mergeValues(program.settings, settings) as AgentSettings;
  return {
    name,
    settings: { ...together, instructions: settings.instructions },
    parts: [
      { agent: program, keys: WHOLE },
      { agent: role, keys: ['arguments', 'files', 'model'] },
    ],
    usesUsual: true,
  };
}

/** The default agent must have a program: without one it would have to run with itself. */
function requireProgram(known: KnownAgents, usual: string): KnownAgent {
  const agent = requireAgent(known, usual, 'tasks.agent');
  if (hasProgram(agent.settings)) return agent;
  const withPrograms = [...known.byName.values()].filter(({ settings }) => hasProgram(settings));
  throw carrelError('UNKNOWN_AGENT', {
    name: usual,
    where: 'tasks.agent, which must have a preset or a command,',
    known: withPrograms.map(({ name }) => name).sort(),
  });
}

function requireAgent({ byName, broken }: KnownAgents, name: string, where: string): KnownAgent {
  const problem = broken.get(name);
  if (problem) throw problem.error;
  const agent = byName.get(name);
  if (agent) return agent;
  const known = [...byName.keys()].sort();
  throw carrelError('UNKNOWN_AGENT', { name, where, known, nearest: nearest(name, known) });
}

function toResolved({ name, settings }: ComposedAgent): ResolvedAgent {
  const { preset, command = [], model } = settings;
  return {
    name,
    program:
      preset === undefined
        ? { kind: 'command', command, prompt: settings.prompt ?? 'stdin' }
        : { kind: 'preset', preset, ...(model !== undefined && { model }) },
    arguments: settings.arguments ?? [],
    instructions: settings.instructions ?? null,
    environment: settings.environment ?? {},
    passEnvironment: settings.passEnvironment ?? [],
    hosts: settings.hosts ?? [],
    files: settings.files ?? {},
    result: settings.result ?? preset ?? 'text',
  };
}
