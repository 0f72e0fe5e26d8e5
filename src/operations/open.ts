import { carrelError } from '../domain/error.js';
import type { Context } from './context.js';
import { execForWorkspace } from './exec.js';
import { findWorkspace, type WorkspaceQuery } from './find.js';

export interface OpenInput extends WorkspaceQuery {
  /** The program to open it with; the configured editor by default, else VISUAL, EDITOR or VS Code. */
  readonly with?: string | undefined;
}

/** Opens the workspace's directory in an editor: the user's own, which is not in a sandbox. */
export async function openWorkspace(
  context: Context,
  input: OpenInput,
): Promise<{ command: string; path: string }> {
  const record = await findWorkspace(context, input);
  const { config } = await context.loadConfig(record.repository);
  const { environment } = context;
  // An empty variable names no program.
  const command = input.with || config.workspace.editor || environment.VISUAL || environment.EDITOR || 'code';
  const program = command.split(/\s+/).filter(Boolean);
  if (record.sandbox) context.narrate(`warning: ${CAUTION}`);
  const result = await execForWorkspace(context, {
    ...input,
    command: [...program, record.path],
    output: 'inherit',
  });
  if (result.exitCode !== 0) {
    throw carrelError('COMMAND_FAILED', { command, exitCode: result.exitCode });
  }
  return { command, path: record.path };
}

const CAUTION =
  'these files were written in a sandbox and the editor is outside of it; trust no task or setting that it finds in them';
