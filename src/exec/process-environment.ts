import type { Command } from '../domain/command/command.js';
import type { Environment } from '../domain/command/environment.js';
import { type RunRequest, runProcess } from './run-process.js';

/** A directory of the host with exactly these variables. Leftover processes of a command keep running. */
export const createProcessEnvironment = (
  directory: string,
  variables: Readonly<Record<string, string>>,
): Environment => ({
  run: command =>
    runProcess(toRunRequest(command, { cwd: directory, env: { ...variables, ...command.environment } })),
});

/** The process of a command; `env` is its whole environment. */
export function toRunRequest(
  { command: words, workingDirectory, environment: _, endsLeftovers: __, ...handling }: Command,
  { cwd, env }: Pick<RunRequest, 'cwd' | 'env'>,
): RunRequest {
  const [command = '', ...args] = words;
  return { ...handling, command, args, cwd: workingDirectory ?? cwd, env };
}
