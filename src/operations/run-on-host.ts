import { carrelError, errnoOf } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { commandEnvironment } from '../exec/environment.js';
import { type RunRequest, type RunResult, runProcess } from '../exec/run.js';
import { workspaceVariables } from '../workspace/environment.js';
import type { Context } from './context.js';
import type { RecordedCommand } from './record-command.js';

export interface HostCommand
  extends Pick<RunRequest, 'output' | 'stdin' | 'onOutput' | 'timeoutMs' | 'signal' | 'maxOutputBytes'> {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** Over the caller's and the workspace's. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** Runs a command of the user's on the machine itself, with the user's environment. PROGRAM_MISSING. */
export async function runOnHost(
  context: Context,
  record: WorkspaceRecord,
  { id, onStart }: RecordedCommand,
  request: HostCommand,
): Promise<RunResult> {
  const { command: words, environment, ...rest } = request;
  const [command, ...args] = words as [string, ...string[]];
  const variables = { ...workspaceVariables(record), ...environment, CARREL_COMMAND_ID: id };
  const env = commandEnvironment(context.environment, variables);
  try {
    return await runProcess({ ...rest, command, args, env, onStart });
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'EACCES') throw error;
    const problem = errnoOf(error) === 'ENOENT' ? 'it was not found' : 'it may not be executed';
    throw carrelError('PROGRAM_MISSING', { program: command, problem, workspace: record.name }, error);
  }
}
