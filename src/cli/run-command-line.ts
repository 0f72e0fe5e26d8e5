import { asksForJson, type Call, findCall } from './command-line.js';
import { commandTable } from './command-table.js';
import { DONE, exitCodes } from './exit-code.js';
import { formatHelp } from './help.js';
import { reportError } from './report-error.js';
import type { Surroundings } from './session.js';

/** The whole program: finds the command, loads and runs it, and gives the exit status. Never throws. */
export async function runCommandLine(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  try {
    const call = findCall(argv, commandTable);
    if (call.kind === 'help') return showHelp(call, surroundings);
    const { runCommand } = await import('./run-command.js');
    return await runCommand(call, surroundings);
  } catch (error) {
    return reportError(error, surroundings, asksForJson(argv));
  }
}

/** Help that was asked for is the answer; help for a call that says too little is narration. */
function showHelp({ noun, asked }: Extract<Call, { kind: 'help' }>, { output }: Surroundings): number {
  const help = formatHelp(commandTable, noun);
  if (asked) output.answer(help);
  else output.narrateBlock(help);
  return asked ? DONE : exitCodes.user;
}
