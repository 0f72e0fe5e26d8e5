import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ResolvedAgent } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import type { AgentFunction } from '../../tools/agent-function.js';
import { createProgramAgent } from '../agent-program/program-agent.js';
import { findVersion } from '../agent-program/program-version.js';
import type { EvalAgent } from '../eval-agent.js';
import { findConfiguredAgent } from './configured-agent.js';
import { nop } from './nop.js';
import { createOracle } from './oracle.js';

export interface ResolveOptions {
  /** The repository whose agents can be named; null outside a repository. */
  readonly repositoryRoot: string | null;
  readonly model?: string | undefined;
  /** Whether programs come from an image, so that it does not matter what this machine has. */
  readonly isInImage?: boolean | undefined;
  /** Run the repository's commands without a recorded approval. */
  readonly trust?: boolean | undefined;
}

/** An agent by name, or the agent itself: a function or an EvalAgent. */
export type AgentChoice = string | AgentFunction | EvalAgent;

export async function resolveEvalAgent(
  context: Context,
  chosen: AgentChoice,
  options: ResolveOptions,
): Promise<EvalAgent> {
  if (typeof chosen === 'string') return findEvalAgent(context, chosen, options);
  if (typeof chosen === 'object') return chosen;
  const { createFunctionAgent } = await import('../agent-function/module-agent.js');
  return createFunctionAgent(context, chosen, options.model);
}

/**
 * What `--agent` names: `oracle`, `nop`, a preset, an agent of the configuration, a module (`./agent.mjs`), a program
 * (`./agent.sh`), or text for the shell, which has a space. UNKNOWN_AGENT, AGENT_MODULE_INVALID,
 * PROGRAM_NOT_INSTALLED, TASK_COMMANDS_NOT_TRUSTED.
 */
async function findEvalAgent(context: Context, name: string, options: ResolveOptions): Promise<EvalAgent> {
  const { model } = options;
  if (name === 'nop') return nop;
  if (name === 'oracle') return createOracle(context);
  if (isModule(context, name)) {
    // Loads zod for the inputs of tools, which no other agent needs.
    const { loadModuleAgent } = await import('../agent-function/module-agent.js');
    return loadModuleAgent(context, name, model);
  }
  const command = await findCommand(context, name);
  if (command)
    return createProgramAgent(context, {
      ...{ name: command.name, model, version: null, content: command.content },
      agent: plainCommand(name, command.words),
      reads: 'plain',
    });
  return resolveConfigured(context, name, options);
}

function isModule({ cwd }: Pick<Context, 'cwd'>, name: string): boolean {
  return /\.[cm]?[jt]s$/.test(name) && (!/\s/.test(name) || existsSync(resolve(cwd, name)));
}

interface PlainCommand {
  readonly name: string;
  readonly words: string | readonly string[];
  readonly content?: Buffer | undefined;
}

/** Shell text, or a program by its path. The path becomes absolute: a batch may be resumed from another directory. */
async function findCommand({ cwd }: Pick<Context, 'cwd'>, name: string): Promise<PlainCommand | undefined> {
  const path = resolve(cwd, name);
  if (name.includes('/') && isFile(path)) return { name: path, words: [path], content: await readFile(path) };
  return /[\s/]/.test(name) ? { name, words: name } : undefined;
}

/** Shell text may be longer than any path. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const plainCommand = (name: string, command: string | readonly string[]): ResolvedAgent => ({
  name,
  program: { kind: 'command', command, prompt: 'stdin' },
  arguments: [],
  instructions: null,
  environment: {},
  passEnvironment: [],
  hosts: [],
  files: {},
  result: 'text',
});

async function resolveConfigured(
  context: Context,
  name: string,
  options: ResolveOptions,
): Promise<EvalAgent> {
  const agent = withModel(await findConfiguredAgent(context, name, options), options.model);
  const version = options.isInImage ? null : await findVersion(context, agent);
  return createProgramAgent(context, { name, agent, model: options.model, version, reads: 'as-set' });
}

/** A command gets its model in CARREL_MODEL. */
function withModel(agent: ResolvedAgent, model: string | undefined): ResolvedAgent {
  if (model === undefined || agent.program.kind !== 'preset') return agent;
  return { ...agent, program: { ...agent.program, model } };
}
