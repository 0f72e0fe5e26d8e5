import { findPreset } from '../../agent/presets.js';
import { type CarrelError, carrelError } from '../../domain/error/error.js';
import type { ResolvedAgent } from '../../domain/task/task.js';
import { findProgramIn } from '../../exec/find-program.js';
import type { Context } from '../context.js';

/** The program of an agent, when this machine does not have it. Shell commands and paths are not checked. */
export function findMissingProgram(
  context: Pick<Context, 'places' | 'environment'>,
  agent: ResolvedAgent,
): string | undefined {
  const name = findProgramName(agent);
  if (name === undefined) return undefined;
  const { cacheDir, stateDir } = context.places;
  const path = agent.environment.PATH ?? context.environment.PATH ?? '';
  return findProgramIn(path, name, [cacheDir, stateDir]) ? undefined : name;
}

/** The program to find in PATH; undefined for shell text and for a path. */
export function findProgramName({ program }: ResolvedAgent): string | undefined {
  if (program.kind === 'preset') return findPreset(program.preset).program;
  const [first] = typeof program.command === 'string' ? [] : program.command;
  return first?.includes('/') ? undefined : first;
}

export function explainMissing(agent: ResolvedAgent, program: string, isInside: boolean): CarrelError {
  const install =
    agent.program.kind === 'preset'
      ? findPreset(agent.program.preset).install
      : `install ${program}, or fix the agent's command`;
  return carrelError('PROGRAM_NOT_INSTALLED', { agent: agent.name, program, install, isInside });
}
