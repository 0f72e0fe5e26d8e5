import { writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findPreset } from '../../../agent/presets.js';
import type { AgentSource, EvalAgent } from '../../../batch/eval-agent.js';
import { carrelError } from '../../../domain/error/error.js';
import { type AgentDescription, AgentDescriptionSchema } from '../../../domain/fleet/agent-description.js';
import { secretsGiven } from '../../../domain/secret/secret-variables.js';
import type { ResolvedAgent } from '../../../domain/task/task.js';
import { importModule } from '../../../exec/import-module.js';
import { withScratchDirectory } from '../../../git/disk/scratch-directory.js';
import type { Context } from '../../../operations/context.js';
import { hashBytes } from '../../artifacts/blob-source.js';

export interface DescribedAgent {
  readonly description: AgentDescription;
  /** The bytes of its file, when it has one. */
  readonly content: Buffer | undefined;
}

/**
 * An agent as data that any machine can open with the same fingerprint. Secrets stay: of a variable that holds one only
 * the name travels. AGENT_CANNOT_TRAVEL for a function of the calling program, a module that needs other files, and
 * settings with a secret in them.
 */
export async function describeAgent(
  context: Pick<Context, 'environment' | 'redactor' | 'places'>,
  agent: EvalAgent,
): Promise<DescribedAgent> {
  const { source } = agent;
  if (!source) throw cannotTravel(agent, 'it is a function of the program that runs the batch', EXPORT_IT);
  const described = { ...(await describeSource(context, agent, source)) };
  const description = AgentDescriptionSchema.parse(described);
  requireNoSecrets(context, agent, description);
  return { description, content: 'content' in source ? source.content : undefined };
}

const EXPORT_IT = 'export the function from a module, and name its file: --agent ./agent.mjs';
const NAME_IT = 'pass the secret as a variable, and name the variable in passEnvironment of the agent';
const BUNDLE_IT = 'bundle it into one file that imports only node: modules, for example with esbuild';

const cannotTravel = (
  { name: agent }: Pick<EvalAgent, 'name'>,
  reason: string,
  advice: string,
  cause?: unknown,
) => carrelError('AGENT_CANNOT_TRAVEL', { agent, reason, advice }, cause);

async function describeSource(
  context: Pick<Context, 'environment' | 'places'>,
  agent: EvalAgent,
  source: AgentSource,
): Promise<AgentDescription> {
  const { name, fingerprint, version, needs } = agent;
  const common = { name, fingerprint, version };
  const hosts = [...needs.hosts];
  switch (source.kind) {
    case 'oracle':
    case 'nop':
      return { kind: source.kind, ...common, needs: { programs: [], hosts, keys: [] } };
    case 'module':
      await requireAlone(context, agent, source.content);
      return {
        ...{ kind: 'module', ...common, needs: { programs: [], hosts, keys: [] } },
        model: source.model ?? null,
        file: { name: basename(name), hash: hashBytes(source.content) },
      };
    case 'program': {
      const { settings, secrets, needs: own } = describeProgram(context, source.agent);
      return {
        ...{ kind: 'program', ...common, needs: { ...own, hosts } },
        ...{ settings, secrets, model: source.model ?? null, reads: source.reads },
        file: source.content ? { name: basename(name), hash: hashBytes(source.content) } : null,
      };
    }
  }
}

/** The worker has no other file of the module's directory, and none of its packages. */
async function requireAlone(
  { places }: Pick<Context, 'places'>,
  agent: EvalAgent,
  content: Buffer,
): Promise<void> {
  await withScratchDirectory(places.temporaryRoot, async scratch => {
    const file = join(scratch, `agent${extname(agent.name)}`);
    await writeFile(file, content);
    await importModule(pathToFileURL(file).href).catch(error => {
      const reason = `its module does not load without the files around it (${firstLine(error)})`;
      throw cannotTravel(agent, reason, BUNDLE_IT, error);
    });
  });
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] as string;

/** The program of an agent as data, for a batch and for a task: its settings without secrets, and what it needs. */
export function describeProgram(context: Pick<Context, 'environment'>, agent: ResolvedAgent) {
  const { settings, secrets } = withoutSecrets(agent);
  const keys = [...new Set([...findKeys(context, agent), ...secrets])];
  return { settings, secrets, needs: { programs: findPrograms(agent), hosts: settings.hosts, keys } };
}

/** AGENT_CANNOT_TRAVEL when a secret would. */
export function requireNoSecrets(
  { redactor }: Pick<Context, 'redactor'>,
  agent: Pick<EvalAgent, 'name'>,
  description: unknown,
): void {
  if (JSON.stringify(redactor.within(description)) !== JSON.stringify(description))
    throw cannotTravel(agent, 'its settings contain a secret', NAME_IT);
}

/** The variables of its settings that hold a secret are left to the worker. */
function withoutSecrets(agent: ResolvedAgent) {
  const entries = Object.entries(agent.environment);
  const secrets = entries.filter(([name, value]) => secretsGiven({ [name]: value }).length > 0);
  const names = new Set(secrets.map(([name]) => name));
  const environment = Object.fromEntries(entries.filter(([name]) => !names.has(name)));
  const settings = {
    ...agent,
    program: copyProgram(agent.program),
    arguments: [...agent.arguments],
    passEnvironment: [...agent.passEnvironment],
    hosts: [...agent.hosts],
    files: { ...agent.files },
    environment,
  };
  return { settings, secrets: [...names] };
}

function copyProgram(program: ResolvedAgent['program']) {
  if (program.kind === 'preset') return program;
  const { command } = program;
  return { ...program, command: typeof command === 'string' ? command : [...command] };
}

/** A worker needs the keys that the agent would have had here. */
function findKeys({ environment }: Pick<Context, 'environment'>, agent: ResolvedAgent): string[] {
  const keys = agent.program.kind === 'preset' ? findPreset(agent.program.preset).keys : [];
  return [...keys, ...agent.passEnvironment].filter(name => environment[name] !== undefined);
}

const findPrograms = ({ program }: ResolvedAgent): string[] =>
  program.kind === 'preset' ? [findPreset(program.preset).program] : [];
