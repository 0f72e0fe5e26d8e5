import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';
import { findWorkspace, type WorkspaceQuery } from '../workspace/find-workspace.js';
import { execForWorkspace } from './exec.js';

export interface OpenInput extends WorkspaceQuery {
  /** The program to open it with; the configured editor by default, else VISUAL, EDITOR or VS Code. */
  readonly with?: string | undefined;
  /** Opens this port of the workspace in the browser instead; 0 is the first one. */
  readonly port?: number | undefined;
}

/**
 * Opens the workspace's directory in an editor, or a port in the browser: the user's own programs, which are not in a
 * sandbox.
 */
export async function openWorkspace(
  context: Context,
  input: OpenInput,
): Promise<{ command: string; path: string }> {
  const record = await findWorkspace(context, input);
  const path = input.port === undefined ? record.path : urlOf(record, input.port);
  const command = input.with || (await chooseProgram(context, record, input));
  const program = command.split(/\s+/).filter(Boolean);
  if (record.sandbox && input.port === undefined) context.narrate(`warning: ${CAUTION}`);
  const result = await execForWorkspace(context, {
    ...input,
    command: [...program, path],
    output: 'inherit',
  });
  if (result.exitCode !== 0) {
    throw carrelError('COMMAND_FAILED', { command, exitCode: result.exitCode });
  }
  return { command, path };
}

/** An empty variable names no program. */
async function chooseProgram(
  { environment, loadConfig }: Pick<Context, 'environment' | 'loadConfig'>,
  { repository }: WorkspaceRecord,
  { port }: OpenInput,
): Promise<string> {
  if (port !== undefined) return environment.BROWSER || BROWSER;
  const { config } = await loadConfig(repository);
  return config.workspace.editor || environment.VISUAL || environment.EDITOR || 'code';
}

/** What opens an address with the user's browser. */
const BROWSER = process.platform === 'darwin' ? 'open' : 'xdg-open';

/** INVALID_INPUT for a port of another program. */
function urlOf({ name, ports }: WorkspaceRecord, port: number): string {
  if (ports.includes(port)) return `http://127.0.0.1:${port}`;
  const expected =
    ports.length === 0
      ? `none, because ${name} has no ports`
      : `a port of ${name}: ${ports[0]} to ${ports.at(-1)}`;
  throw carrelError('INVALID_INPUT', { what: '--port', found: String(port), expected });
}

const CAUTION =
  'these files were written in a sandbox and the editor runs outside it; do not trust tasks or settings in them';
