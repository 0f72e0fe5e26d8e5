import type { Command, CommandResult } from '../../domain/command/command.js';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { commandEnvironment } from '../../exec/command-environment.js';
import { toRunRequest } from '../../exec/process-environment.js';
import { runProcess } from '../../exec/run-process.js';
import { workspaceVariables } from '../../workspace/setup/workspace-variables.js';
import type { Context } from '../context.js';
import { groupVariables } from '../group/group-records.js';
import type { RecordedCommand } from './record-command.js';

export interface HostCommand extends Command {
  /** Interactive use in the caller's terminal or editor. */
  readonly isForPerson?: boolean | undefined;
}

/** Runs one of the user's commands on the host, with the user's environment. PROGRAM_MISSING. */
export async function runOnHost(
  context: Pick<Context, 'environment' | 'store'>,
  record: WorkspaceRecord,
  { id, onStart }: RecordedCommand,
  { isForPerson, ...command }: HostCommand,
): Promise<CommandResult> {
  const { workingDirectory: cwd = record.path } = command;
  const variables = {
    ...workspaceVariables(record),
    ...(await groupVariables(context, record)),
    ...command.environment,
    CARREL_COMMAND_ID: id,
  };
  const place = { directory: cwd, checkout: record.repository, isForPerson };
  const env = commandEnvironment(context.environment, place, variables);
  try {
    return await runProcess(toRunRequest({ ...command, onStart }, { cwd, env }));
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'EACCES') throw error;
    const problem = errnoOf(error) === 'ENOENT' ? 'it was not found' : 'it may not be executed';
    throw carrelError(
      'PROGRAM_MISSING',
      { program: command.command[0] ?? '', problem, workspace: record.name },
      error,
    );
  }
}
