import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Command } from 'commander';
import { carrelError } from '../../../../domain/error/error.js';
import type { Screen } from '../../../../operations/command/exec.js';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { exitCodeOfRun } from '../../exit/exit-code-of-run.js';
import { durationFor } from '../../options/number-option.js';
import { createHarmlessOutput } from '../../terminal/harmless-output.js';

interface ExecOptions extends CommonOptions {
  readonly timeout?: number;
  readonly terminal?: boolean;
}

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('exec'))
    .usage('[options] <workspace> [--] <command...>')
    .option(
      '--timeout <duration>',
      'kill the command and its processes after this time, such as 90s or 15m',
      durationFor('--timeout'),
    )
    .option(
      '-t, --terminal',
      'give the command the terminal even in a sandbox, whose output is otherwise stripped of terminal control sequences',
    )
    .action(async (name: string, words: string[], options: ExecOptions) => {
      // Ctrl-C on a terminal also reaches the command, and a REPL or a pager may survive it.
      session.interruption.follow(!options.json && isatty(0) ? 'leave-to-child' : 'finish');
      const { execInWorkspace } = await import('../../../../operations/command/exec.js');
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
 * Output to a terminal is filtered. A file or pipe is passed to the command, so that every byte arrives, both streams in
 * one file stay in order, and the command notices a reader that goes away. A terminal is never passed: a process that
 * has it as standard input can also write to it. In its own session the command does not see Ctrl-C, so we handle it.
 */
function createScreen({ output, interruption }: Session): Screen {
  const filters = { stdout: createHarmlessOutput(), stderr: createHarmlessOutput() };
  const sinks = { stdout: output.programBytes, stderr: output.narrateBytes };
  return {
    begin: () => interruption.follow('finish'),
    show: (stream, chunk) => sinks[stream](filters[stream](chunk)),
    stdin: chooseStdin(),
    handedOver: [...(isatty(1) ? [] : (['stdout'] as const)), ...(isatty(2) ? [] : (['stderr'] as const))],
  };
}

/**
 * A pipe is passed to the command. A file is read for it: a process with a file descriptor can reopen the file for writing
 * by /proc/self/fd/0, out of every sandbox (seen with bubblewrap 0.8 on Linux 6), and a directory leads to its parents.
 */
function chooseStdin(): Screen['stdin'] {
  if (isatty(0)) return undefined;
  const given = fstatSync(0);
  return given.isFIFO() || given.isSocket() ? 'inherit' : process.stdin;
}
