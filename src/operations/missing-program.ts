import { findPreset } from '../agent/presets.js';
import type { ResolvedAgent } from '../domain/task.js';
import { findProgramIn } from '../exec/find-program.js';
import type { Context } from './context.js';

/** The program of an agent, when this machine does not have it. What a shell or a path would find is not known here. */
export function findMissingProgram(context: Context, agent: ResolvedAgent): string | undefined {
  const { program, environment } = agent;
  const name = program.kind === 'preset' ? findPreset(program.preset).program : findWord(program.command);
  if (name === undefined) return undefined;
  const { cacheDir, stateDir } = context.places;
  const path = environment.PATH ?? context.environment.PATH ?? '';
  return findProgramIn(path, name, [cacheDir, stateDir]) ? undefined : name;
}

function findWord(command: string | readonly string[]): string | undefined {
  const [first] = typeof command === 'string' ? [] : command;
  return first?.includes('/') ? undefined : first;
}
