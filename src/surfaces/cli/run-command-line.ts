import type { Surroundings } from './cli-session.js';
import { asksForJson, type Call, findCall } from './command-line.js';
import { commandTable } from './command-table.js';
import { DONE, exitCodes } from './exit/exit-code.js';
import { reportError } from './exit/report-error.js';
import { formatHelp } from './help/help.js';

/** The whole program: finds, loads and runs the command, and returns the exit status. Never throws. */
export async function runCommandLine(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    const call = findCall(argv, commandTable);
    if (call.kind === 'help') return showHelp(call, surroundings);
    const { runCommand } = await import('./run-cli-command.js');
    return await runCommand(call, surroundings);
  } catch (error) {
    return reportError(error, surroundings, asksForJson(argv));
  }
}

/** Requested help goes to stdout. Help for an incomplete call goes to stderr. */
function showHelp({ noun, asked }: Extract<Call, { kind: 'help' }>, { output }: Surroundings): number {
  const help = formatHelp(commandTable, noun);
  if (asked) output.answer(help);
  else output.narrateBlock(help);
  return asked ? DONE : exitCodes.user;
}
