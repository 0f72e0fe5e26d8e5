import { isatty } from 'node:tty';
import type { Command } from 'commander';
import { carrelError } from '../../domain/error.js';
import { parseDuration } from '../../domain/quantity.js';
import type { Screen } from '../../operations/exec.js';
import { WorkspaceArgument } from '../command.js';
import { exitCodeOfRun } from '../exit-code-of-run.js';
import { createHarmlessOutput } from '../harmless-output.js';
import { type CommonOptions, type Session, withApp } from '../session.js';

interface ExecOptions extends CommonOptions {
  readonly timeout?: number;
  readonly terminal?: boolean;
}

/** In a session of its own the command does not see Ctrl-C, so that is ours again. */
function createScreen({ output, interruption }: Session): Screen {
  const filters = { stdout: createHarmlessOutput(), stderr: createHarmlessOutput() };
  const sinks = { stdout: output.bytes, stderr: output.narrateBytes };
  return {
    begin: () => interruption.follow('finish'),
    show: (stream, chunk) => sinks[stream](filters[stream](chunk)),
  };
}

export function define(command: Command, session: Session): void {
  command
    .usage('[options] <name> [--] <command...>')
    .addArgument(new WorkspaceArgument('<name>'))
    .argument(
      '<command...>',
      'the program and its arguments; everything from here on is handed over as it is',
    )
    .option(
      '--timeout <duration>',
      'end the command and all it started after this time, such as 90s or 15m',
      parseDuration,
    )
    .option(
      '-t, --terminal',
      'give the command the terminal, also in a sandbox, whose output is otherwise shown without what steers a terminal',
    )
    .action(async (name: string, words: string[], options: ExecOptions) => {
      // Ctrl-C on a terminal reaches the command as well, and a REPL or a pager may live through it.
      session.interruption.follow(!options.json && isatty(0) ? 'leave-to-child' : 'finish');
      const { execInWorkspace } = await import('../../operations/exec.js');
      const output = options.json ? 'capture' : 'inherit';
      const result = await withApp(session, options, (app, repository) => {
        const { signal } = session.interruption;
        return execInWorkspace(app, {
          repository,
          name,
          command: words,
          timeoutMs: options.timeout,
          output,
          terminal: options.terminal,
          screen: isatty(1) && !options.json && !options.terminal ? createScreen(session) : undefined,
          signal,
        });
      });
      if (result.timedOut) {
        const { stdout, stderr } = result;
        const details = { command: words.join(' '), limitMs: options.timeout ?? 0, stdout, stderr };
        throw carrelError('COMMAND_TIMED_OUT', details);
      }
      if (options.json) session.output.json(result);
      session.exitWith(exitCodeOfRun(result, session.interruption));
    });
}
