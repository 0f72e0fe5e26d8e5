import type { ExecResult } from '../../domain/report/result.js';
import type { RuntimeName } from '../../domain/sandbox/runtime-finding.js';
import type { Context } from '../context.js';
import { findWorkspace, type WorkspaceQuery } from '../workspace/find-workspace.js';
import { execInWorkspace } from './exec.js';

export interface ShellInput extends WorkspaceQuery {
  readonly signal?: AbortSignal | undefined;
}

/** A shell in a workspace, on the caller's terminal: the user's own, or one available inside. */
export async function shellInWorkspace(context: Context, input: ShellInput): Promise<ExecResult> {
  const { runtime } = await findWorkspace(context, input);
  const command = shellsOf(context, runtime);
  return execInWorkspace(context, {
    ...input,
    command,
    output: 'inherit',
    terminal: true,
    isForPerson: true,
  });
}

function shellsOf(context: Pick<Context, 'environment'>, runtime: RuntimeName): readonly string[] {
  if (runtime === 'host') return [context.environment.SHELL || '/bin/sh'];
  return [
    'sh',
    '-c',
    runtime === 'bubblewrap' ? `${FIND_SHELL}; ${WITH_TERMINAL}` : `${FIND_SHELL}; exec $shell`,
  ];
}

const FIND_SHELL = 'shell=$(command -v bash || command -v sh)';

/**
 * In a separate pid namespace a shell can't give the caller's terminal back to a group that it does not see, and exits with status 2
 * ("Cannot set tty process group", dash 0.5.12). script(1) gives it a new terminal.
 */
const WITH_TERMINAL = 'command -v script >/dev/null && exec script -qec "$shell" /dev/null || exec $shell';
