import type { Command, CommandResult } from '../../domain/command/command.js';
import { createHostFiles } from '../../tools/host/host-files.js';
import type { ToolEnvironment } from '../../tools/tool-access.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import { createInsideFiles } from './tool-files-in-sandbox.js';

export interface AttemptToolEnvironment extends ToolEnvironment {
  /** Resolves when no command is running. */
  idle(): Promise<unknown>;
}

export interface ToolEnvironmentOptions {
  /** Environment variables of the commands. */
  readonly variables: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Gives a function's tools access to the workspace of an attempt. In a sandbox everything runs as commands inside; otherwise
 * only files of the working directory are accessible. Commands run one at a time, because when one ends, everything that
 * runs in the workspace is killed.
 */
export function createToolEnvironment(
  environment: TaskEnvironment,
  options: ToolEnvironmentOptions,
): AttemptToolEnvironment {
  const { workingDirectory, isSandboxed } = environment;
  let line: Promise<unknown> = Promise.resolve();
  const runInLine = (request: Command): Promise<CommandResult> => {
    const result = line.then(() => environment.run({ ...request, signal: options.signal }));
    line = result.catch(() => undefined);
    return result;
  };
  return {
    workingDirectory,
    run: command => runInLine({ ...command, environment: options.variables, stdin: '', maxOutputBytes: 0 }),
    files: isSandboxed ? createInsideFiles(environment, runInLine) : createHostFiles(workingDirectory),
    idle: () => line,
  };
}
