import type { CommandRequest, CommandResult } from '../../operations/run-command.js';
import { createHostFiles } from '../../tools/host-files.js';
import type { ToolHands } from '../../tools/tool-hands.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import { createInsideFiles } from './inside-files.js';

export interface EnvironmentHands extends ToolHands {
  /** Once nothing is under way. */
  idle(): Promise<unknown>;
}

export interface HandsOptions {
  /** What commands are told. */
  readonly variables: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * The hands of a function's tools in the workspace of an attempt: in a sandbox everything is done by commands inside, else
 * files are those of the working directory alone. One command after the other, because the end of one ends all that runs
 * in the workspace.
 */
export function createEnvironmentHands(
  environment: TaskEnvironment,
  options: HandsOptions,
): EnvironmentHands {
  const { workingDirectory, isSandboxed } = environment;
  let line: Promise<unknown> = Promise.resolve();
  const runInLine = (request: CommandRequest): Promise<CommandResult> => {
    const result = line.then(() => environment.run({ ...request, signal: options.signal }));
    line = result.catch(() => undefined);
    return result;
  };
  return {
    workingDirectory,
    run: ({ command, timeoutMs, onOutput }) =>
      runInLine({
        ...{ command, timeoutMs, environment: options.variables, stdin: '', maxOutputBytes: 0 },
        onOutput: (_, chunk) => onOutput(chunk),
      }),
    files: isSandboxed ? createInsideFiles(environment, runInLine) : createHostFiles(workingDirectory),
    idle: () => line,
  };
}
