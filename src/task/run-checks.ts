import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from '../operations/context.js';
import { type OnLine, runShell } from './run-shell.js';

export interface CheckFailure {
  readonly command: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** The end of what it printed, with how it ended when that is not told by the others; may be empty. */
  readonly output: string;
}

export interface CheckOptions {
  /** Of each check. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onLine?: OnLine | undefined;
}

/** Runs the checks of a stage in order until one fails. A cancel ends them without a failure: look at the signal. */
export async function runChecks(
  context: Context,
  record: WorkspaceRecord,
  checks: readonly string[],
  options: CheckOptions,
): Promise<{ readonly failed?: CheckFailure }> {
  for (const command of checks) {
    const result = await runShell(context, record, { command, ...options });
    if (result.cancelled) return {};
    if (result.passed) continue;
    const { exitCode, timedOut } = result;
    const output = exitCode === null ? `${result.output}\nIt ${result.ending}.`.trimStart() : result.output;
    return { failed: { command, exitCode, timedOut, output } };
  }
  return {};
}
