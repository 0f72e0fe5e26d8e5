import { readFile } from 'node:fs/promises';
import { CARRIED_PROGRAM, createProgramAgent } from '../../../batch/agent-program/program-agent.js';
import { findVersion } from '../../../batch/agent-program/program-version.js';
import { nop } from '../../../batch/agents/nop.js';
import { createOracle } from '../../../batch/agents/oracle.js';
import type { EvalAgent } from '../../../batch/eval-agent.js';
import type { AgentDescription } from '../../../domain/fleet/agent-description.js';
import type { ResolvedAgent } from '../../../domain/task/task.js';
import type { Context } from '../../../operations/context.js';

export interface OpenAgentOptions {
  /** The agent's file on this machine, by its name and hash. */
  readonly placeFile: (file: { readonly name: string; readonly hash: string }) => Promise<string>;
  /** Whether programs come from an image. */
  readonly isInImage: boolean;
}

/**
 * The agent of a description, with its name and fingerprint: attempts here and on the machine of the submitter have the
 * same identity, although paths differ. Its version is the one of this machine. AGENT_MODULE_INVALID,
 * PROGRAM_NOT_INSTALLED.
 */
export async function openDescribedAgent(
  context: Context,
  description: AgentDescription,
  options: OpenAgentOptions,
): Promise<EvalAgent> {
  const { name, fingerprint } = description;
  return { ...(await open(context, description, options)), name, fingerprint };
}

async function open(
  context: Context,
  description: AgentDescription,
  { placeFile, isInImage }: OpenAgentOptions,
): Promise<EvalAgent> {
  switch (description.kind) {
    case 'oracle':
      return createOracle(context);
    case 'nop':
      return nop;
    case 'module': {
      const { loadModuleAgent } = await import('../../../batch/agent-function/module-agent.js');
      const file = await placeFile(description.file);
      return loadModuleAgent(context, file, description.model ?? undefined);
    }
    case 'program': {
      const { name, model, reads, file } = description;
      const carried = file ? await readFile(await placeFile(file)) : undefined;
      const agent = settle(context, description);
      const version = isInImage ? null : await findVersion(context, agent);
      return createProgramAgent(context, { name, agent, model: model ?? undefined, version, reads, carried });
    }
  }
}

/** With the values of this machine for the secrets, and the place of the program in each attempt. */
function settle(
  context: Pick<Context, 'environment'>,
  description: Extract<AgentDescription, { readonly kind: 'program' }>,
): ResolvedAgent {
  const agent = withOwnSecrets(context, description);
  const { program } = agent;
  if (!description.file || program.kind !== 'command') return agent;
  return { ...agent, program: { ...program, command: RUN_CARRIED } };
}

/** The settings of a program, with the values of this machine for the variables that did not travel. */
export function withOwnSecrets(
  { environment: own }: Pick<Context, 'environment'>,
  {
    settings,
    secrets,
  }: Pick<Extract<AgentDescription, { readonly kind: 'program' }>, 'settings' | 'secrets'>,
): ResolvedAgent {
  const values = Object.fromEntries(secrets.map(name => [name, own[name] ?? '']));
  return { ...settings, environment: { ...settings.environment, ...values } };
}

/** A path of this host is hidden from most sandboxes; the input directory of an attempt is not. */
const RUN_CARRIED = `chmod u+x "$CARREL_INPUT_DIR/${CARRIED_PROGRAM}" && exec "$CARREL_INPUT_DIR/${CARRIED_PROGRAM}"`;
