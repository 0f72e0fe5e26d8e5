import { join } from 'node:path';
import { type CarrelError, isCarrelError } from '../../domain/error/error.js';
import { type DefinitionFile, listDefinitionFiles } from '../files/definition-files.js';
import { mergeValues } from '../files/merge-values.js';
import type { LoadedConfig } from '../load-config.js';
import { loadAgentFile } from './agent-file.js';
import { type AgentSettings, builtInAgents } from './built-in-agents.js';

/** An agent that stages can name, and where its settings come from. */
export interface KnownAgent {
  readonly name: string;
  readonly settings: AgentSettings;
  /** The strongest source that defines it. */
  readonly source: 'built-in' | 'configuration' | string;
  /** Whether the repository, not the user, chose the value of a key. */
  readonly fromRepository: (key: keyof AgentSettings) => boolean;
}

export interface KnownAgents {
  readonly byName: ReadonlyMap<string, KnownAgent>;
  /** Broken files of `.carrel/agents`, by agent name. The error is thrown when that agent is needed. */
  readonly broken: ReadonlyMap<string, BrokenAgent>;
}

export interface BrokenAgent {
  readonly name: string;
  readonly source: string;
  readonly error: CarrelError;
}

export interface AgentPlaces {
  /** Null outside of a repository. */
  readonly repositoryRoot: string | null;
  /** Where the user could set what a repository may not. */
  readonly userFile: string | null;
  readonly loaded: LoadedConfig;
}

/** Merges key by key: the built-in agents, then `agents:` of the configuration, then `.carrel/agents/NAME.md`. */
export async function loadAgents(places: AgentPlaces): Promise<KnownAgents> {
  const byName = new Map<string, KnownAgent>();
  const broken = new Map<string, BrokenAgent>();
  const lay = (agent: KnownAgent) => byName.set(agent.name, mergeSettings(byName.get(agent.name), agent));
  for (const [name, settings] of builtInAgents)
    lay({ name, settings, source: 'built-in', fromRepository: () => false });
  for (const agent of listConfigured(places.loaded)) lay(agent);
  for (const agent of await loadFiles(places)) {
    if ('error' in agent) broken.set(agent.name, agent);
    else lay(agent);
  }
  return { byName, broken };
}

/** A preset in a stronger source replaces a command in a weaker one, and vice versa. */
function mergeSettings(lower: KnownAgent | undefined, upper: KnownAgent): KnownAgent {
  if (!lower) return upper;
  const { preset, command, ...rest } = lower.settings;
  const below = hasProgram(upper.settings) ? rest : lower.settings;
  return {
    ...upper,
    settings: mergeValues(below, upper.settings) as AgentSettings,
    fromRepository: key => upper.fromRepository(key) || lower.fromRepository(key),
  };
}

export const hasProgram = ({ preset, command }: AgentSettings): boolean =>
  preset !== undefined || command !== undefined;

function listConfigured({ config, fromRepository }: LoadedConfig): KnownAgent[] {
  return Object.entries(config.agents).map(([name, settings]) => ({
    name,
    settings,
    source: 'configuration',
    fromRepository: key => fromRepository(`agents.${name}.${key}`),
  }));
}

async function loadFiles({ repositoryRoot, userFile }: AgentPlaces): Promise<(KnownAgent | BrokenAgent)[]> {
  if (repositoryRoot === null) return [];
  const files = await listDefinitionFiles(join(repositoryRoot, '.carrel', 'agents'), ['.md']);
  return Promise.all(files.map(file => loadOrExplain(file, repositoryRoot, userFile)));
}

async function loadOrExplain(
  file: DefinitionFile,
  repositoryRoot: string,
  userFile: string | null,
): Promise<KnownAgent | BrokenAgent> {
  const place = { name: file.name, source: file.file };
  try {
    const settings = await loadAgentFile(file, repositoryRoot, userFile);
    return { ...place, settings, fromRepository: key => settings[key] !== undefined };
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    return { ...place, error };
  }
}
