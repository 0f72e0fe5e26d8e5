import { runShell, type ShellOptions, type ShellPlace } from '../../attempt/run-shell.js';
import type { CommandResult } from '../../domain/command/command.js';

export interface CheckFailure extends Pick<CommandResult, 'exitCode' | 'timedOut'> {
  readonly command: string;
  /** The end of its output, with how it ended when the other fields do not show it; may be empty. */
  readonly output: string;
}

/** Runs the checks of a stage in order until one fails; the time limit is that of each. A cancel stops them without a failure: check the signal. */
export async function runChecks(
  place: ShellPlace,
  checks: readonly string[],
  options: ShellOptions,
): Promise<{ readonly failed?: CheckFailure }> {
  for (const command of checks) {
    const result = await runShell(place, { text: command, ...options });
    if (result.cancelled) return {};
    if (result.passed) continue;
    const { exitCode, timedOut } = result;
    const output = exitCode === null ? `${result.output}\nIt ${result.ending}.`.trimStart() : result.output;
    return { failed: { command, exitCode, timedOut, output } };
  }
  return {};
}
