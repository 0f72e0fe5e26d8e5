import type { ExecResult } from '../domain/result.js';
import type { Context } from './context.js';
import { execInWorkspace } from './exec.js';
import { findWorkspace, type WorkspaceQuery } from './find.js';

export interface ShellInput extends WorkspaceQuery {
  readonly signal?: AbortSignal | undefined;
}

/** A shell in a workspace, on the caller's terminal: the user's own, or the sandbox's. */
export async function shellInWorkspace(context: Context, input: ShellInput): Promise<ExecResult> {
  const { sandbox } = await findWorkspace(context, input);
  // Inside, the user's own may not be there.
  const shell = sandbox ? '/bin/sh' : context.environment.SHELL || '/bin/sh';
  return execInWorkspace(context, { ...input, command: [shell], output: 'inherit', terminal: true });
}
