import { type Command, CommanderError } from 'commander';
import { carrelError } from '../../domain/error/error.js';
import type { Session, Surroundings } from './cli-session.js';
import { buildCommand } from './command.js';
import { asksForJson, type Call, separateCommandWords } from './command-line.js';
import { DONE } from './exit/exit-code.js';
import { reportError } from './exit/report-error.js';

/** Runs one command of the table and returns the exit status. */
export async function runCommand(
  { entry, args }: Extract<Call, { kind: 'command' }>,
  surroundings: Surroundings,
): Promise<number> {
  let exitCode = DONE;
  const session: Session = {
    ...surroundings,
    exitWith: code => {
      exitCode = code;
    },
  };
  const command = await buildCommand(entry, session);
  const words = entry.takesCommandWords ? separateCommandWords(args, valueOptionsOf(command)) : args;
  try {
    await command.parseAsync([...words], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (isHelpShown(error)) return DONE;
    return reportError(toUsageError(error, command), session, asksForJson(words));
  }
}

function valueOptionsOf(command: Command): Set<string> {
  const taking = command.options.filter(option => option.required);
  return new Set(taking.flatMap(({ short, long }) => [short, long].filter(flag => flag !== undefined)));
}

const isHelpShown = (error: unknown) => error instanceof CommanderError && error.exitCode === 0;

/** commander puts `error: ` before its message, and a suggestion on a separate line. */
function toUsageError(error: unknown, command: Command): unknown {
  if (!(error instanceof CommanderError)) return error;
  const [problem = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const hint = suggestion?.replace(/^\(D(.*)\)$/, 'd$1');
  return carrelError('BAD_USAGE', { problem, command: command.name(), suggestion: hint }, error);
}
