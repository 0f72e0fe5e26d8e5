import { fstatSync } from 'node:fs';
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
          screen: options.json || options.terminal ? undefined : createScreen(session),
          signal,
        });
      });
      if (result.timedOut) {
        const { stdout, stderr, limit, durationMs } = result;
        const isOfSandbox = limit === 'time';
        const limitMs = (isOfSandbox ? undefined : options.timeout) ?? durationMs;
        const details = { command: words.join(' '), limitMs, isOfSandbox, stdout, stderr };
        throw carrelError('COMMAND_TIMED_OUT', details);
      }
      if (options.json) session.output.json(result);
      session.exitWith(exitCodeOfRun(result, session.interruption));
    });
}

/**
 * What goes to a terminal is shown, without what would steer it; what goes to a file or a pipe is handed over, so that
 * every byte arrives, both streams in one file stay in order, and a reader that goes away is noticed inside. A terminal
 * is never handed over: who holds it as standard input writes to it as well. In a session of its own the command does
 * not see Ctrl-C, so that is ours again.
 */
function createScreen({ output, interruption }: Session): Screen {
  const filters = { stdout: createHarmlessOutput(), stderr: createHarmlessOutput() };
  const sinks = { stdout: output.bytes, stderr: output.narrateBytes };
  return {
    begin: () => interruption.follow('finish'),
    show: (stream, chunk) => sinks[stream](filters[stream](chunk)),
    stdin: chooseStdin(),
    handedOver: [...(isatty(1) ? [] : (['stdout'] as const)), ...(isatty(2) ? [] : (['stderr'] as const))],
  };
}

/**
 * A pipe is handed over. A file is read for the command: whoever holds one opens it anew by /proc/self/fd/0, for writing,
 * out of every sandbox (seen with bubblewrap 0.8 on Linux 6), and a directory leads to all that is around it.
 */
function chooseStdin(): Screen['stdin'] {
  if (isatty(0)) return undefined;
  const given = fstatSync(0);
  return given.isFIFO() || given.isSocket() ? 'inherit' : process.stdin;
}
