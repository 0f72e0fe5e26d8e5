import type { ExecResult } from '../domain/result.js';
import type { Context } from './context.js';
import { execInWorkspace } from './exec.js';
import type { WorkspaceQuery } from './find.js';

export interface ShellInput extends WorkspaceQuery {
  readonly signal?: AbortSignal | undefined;
}

/** The user's own shell in a workspace, on the caller's terminal. */
export async function shellInWorkspace(context: Context, input: ShellInput): Promise<ExecResult> {
  const shell = context.environment.SHELL || '/bin/sh';
  return execInWorkspace(context, { ...input, command: [shell], output: 'inherit' });
}
