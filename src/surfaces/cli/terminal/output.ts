import pc from 'picocolors';
import { visibleJson } from '../../../domain/text/visible-json.js';
import { printableLines } from './printable.js';
import { createVisibleOutput, visibleText } from './terminal-text.js';

type Colors = ReturnType<typeof pc.createColors>;
/** The colours that views use. */
export type Paint = Pick<Colors, 'green' | 'red' | 'cyan' | 'yellow' | 'blue' | 'magenta' | 'dim' | 'bold'>;

/**
 * The output of a command: stdout has only the answer, stderr has narration. On a terminal, control characters are
 * shown as escapes.
 */
export interface Output {
  /** One line, or several, of the answer. */
  readonly answer: (text: string) => void;
  /** The answer byte for byte; on a terminal, everything except text is escaped. */
  readonly bytes: (chunk: Buffer) => void;
  /** The output of another program, unchanged also on a terminal: the caller has filtered it. */
  readonly programBytes: (chunk: Buffer) => void;
  readonly json: (value: unknown) => void;
  /** One of many values, on one line. */
  readonly jsonLine: (value: unknown) => void;
  /** A message; control characters in it are escaped. */
  readonly narrate: (line: string) => void;
  /** The stderr of another program, unchanged also on a terminal: the caller has filtered it. */
  readonly narrateBytes: (chunk: Buffer) => void;
  /** Text that was formatted for stderr and is known to be printable. */
  readonly narrateBlock: (text: string) => void;
  /** Whether stderr is a terminal, so that narration is not kept in a log. */
  readonly isNarratedToTerminal: boolean;
  /** Whether stdout is a terminal. */
  readonly isAnsweredToTerminal: boolean;
  /** Stderr if it is a terminal with a movable cursor. */
  readonly terminal: Terminal | undefined;
  /**
   * Sends narration, in whole lines, to `take` instead of stderr until the returned function is called: for a live view
   * that paints on the terminal.
   */
  readonly takeNarration: (take: (text: string) => void) => () => void;
  /** Colours for the answer; without effect unless stdout is a terminal. */
  readonly answerColors: Colors;
  /** Colours for narration; without effect unless stderr is a terminal. */
  readonly narrationColors: Colors;
}

/** Sizes change when the user resizes the window. */
export interface Terminal {
  readonly write: (text: string) => void;
  readonly columns: () => number;
  readonly rows: () => number;
}

/** A stream to write to: process.stdout, process.stderr, or a fake in tests. */
export interface Sink {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(chunk: string | Buffer): unknown;
}

export function createOutput(
  stdout: Sink,
  stderr: Sink,
  environment: Readonly<Record<string, string>>,
): Output {
  const direct = (text: string) => void stderr.write(text);
  const say = (text: string) => void stdout.write(stdout.isTTY ? visibleText(text) : text);
  const sayJson = (text: string) => void stdout.write(stdout.isTTY ? visibleJson(text) : text);
  const visible = createVisibleOutput();
  let narrate: (text: string) => void = direct;
  return {
    answer: text => say(`${text}\n`),
    bytes: chunk => void stdout.write(stdout.isTTY ? visible(chunk) : chunk),
    programBytes: chunk => void stdout.write(chunk),
    json: value => sayJson(`${JSON.stringify(value, null, 2)}\n`),
    jsonLine: value => sayJson(`${JSON.stringify(value)}\n`),
    narrate: line => narrate(`${printableLines(line)}\n`),
    narrateBytes: chunk => void stderr.write(chunk),
    narrateBlock: text => narrate(`${stderr.isTTY ? visibleText(text) : text}\n`),
    isNarratedToTerminal: stderr.isTTY === true,
    isAnsweredToTerminal: stdout.isTTY === true,
    terminal: findTerminal(stderr, environment),
    takeNarration: take => {
      narrate = take;
      return () => {
        narrate = direct;
      };
    },
    answerColors: pc.createColors(takesColors(stdout, environment)),
    narrationColors: pc.createColors(takesColors(stderr, environment)),
  };
}

function takesColors(sink: Sink, environment: Readonly<Record<string, string>>): boolean {
  return sink.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

function findTerminal(sink: Sink, environment: Readonly<Record<string, string>>): Terminal | undefined {
  if (sink.isTTY !== true || environment.TERM === 'dumb') return undefined;
  return {
    write: text => void sink.write(text),
    // Some terminals report 0 when the size is unknown.
    columns: () => sink.columns || 80,
    rows: () => sink.rows || 24,
  };
}

/**
 * A reader that goes away (`carrel ls | head -1`) is not a failure: the rest is dropped and the returned signal is
 * aborted. Any other failure (a full disk behind a redirection) goes to `onFailure`.
 */
export function watchStream(stream: NodeJS.WriteStream, onFailure: (error: Error) => void): AbortSignal {
  const gone = new AbortController();
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') gone.abort();
    else onFailure(error);
  });
  return gone.signal;
}
