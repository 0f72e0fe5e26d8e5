import { createHostFiles } from '../../tools/host-files.js';
import type { ToolHands } from '../../tools/tool-hands.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import { createInsideFiles } from './inside-files.js';

export interface EnvironmentHands extends ToolHands {
  /** Once nothing is under way. */
  idle(): Promise<unknown>;
}

/**
 * The hands of a function's tools in the workspace of an attempt: in a sandbox everything is done by commands inside, else
 * files are those of the working directory alone. One command after the other, because the end of one ends all that runs
 * in the workspace.
 */
export function createEnvironmentHands(
  environment: TaskEnvironment,
  variables: Readonly<Record<string, string>>,
): EnvironmentHands {
  const { workingDirectory, isSandboxed } = environment;
  let line: Promise<unknown> = Promise.resolve();
  const run: ToolHands['run'] = ({ command, timeoutMs, signal, onOutput }) => {
    const result = line.then(() =>
      environment.run({
        ...{ command, timeoutMs, signal, environment: variables, stdin: '', maxOutputBytes: 0 },
        onOutput: (_, chunk) => onOutput(chunk),
      }),
    );
    line = result.catch(() => undefined);
    return result;
  };
  return {
    workingDirectory,
    run,
    files: isSandboxed ? createInsideFiles(environment) : createHostFiles(workingDirectory),
    idle: () => line,
  };
}
