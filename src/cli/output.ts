import pc from 'picocolors';
import { printableLines } from './printable.js';

type Colors = ReturnType<typeof pc.createColors>;
/** What views colour with. */
export type Paint = Pick<Colors, 'green' | 'red' | 'cyan' | 'yellow' | 'blue' | 'magenta' | 'dim' | 'bold'>;

/** Where a command speaks: stdout is the answer and nothing else, stderr is narration. */
export interface Output {
  /** One line, or several, of the answer. */
  readonly answer: (text: string) => void;
  /** The answer as it is, not one byte added. */
  readonly bytes: (chunk: Buffer) => void;
  readonly json: (value: unknown) => void;
  /** A message from anywhere below; control characters in it are escaped. */
  readonly narrate: (line: string) => void;
  /** Narration of another program as it is. */
  readonly narrateBytes: (chunk: Buffer) => void;
  /** Text that was formatted for stderr and is known to be printable. */
  readonly narrateBlock: (text: string) => void;
  /** Stderr when it is a terminal whose cursor can be moved. */
  readonly terminal: Terminal | undefined;
  /**
   * From now on whatever is narrated, whole lines, goes through `take` instead of to stderr, until the function that
   * this gives is called: for whoever paints on the terminal meanwhile.
   */
  readonly takeNarration: (take: (text: string) => void) => () => void;
  /** Colours for the answer; without effect unless stdout is a terminal. */
  readonly answerColors: Colors;
  /** Colours for narration; without effect unless stderr is a terminal. */
  readonly narrationColors: Colors;
}

/** Sizes change while somebody looks. */
export interface Terminal {
  readonly write: (text: string) => void;
  readonly columns: () => number;
  readonly rows: () => number;
}

/** A place to write to: process.stdout, process.stderr, or what a test listens with. */
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
  let narrate: (text: string) => void = direct;
  return {
    answer: text => void stdout.write(`${text}\n`),
    bytes: chunk => void stdout.write(chunk),
    json: value => void stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    narrate: line => narrate(`${printableLines(line)}\n`),
    narrateBytes: chunk => void stderr.write(chunk),
    narrateBlock: text => narrate(`${text}\n`),
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
    // Some terminals tell 0 when they do not know.
    columns: () => sink.columns || 80,
    rows: () => sink.rows || 24,
  };
}

/**
 * A reader that goes away (`carrel ls | head -1`) is no failure of ours: what it does not read is dropped, and the signal
 * that this gives is aborted. Any other failure (a full disk behind a redirection) is told to `onFailure`.
 */
export function watchStream(stream: NodeJS.WriteStream, onFailure: (error: Error) => void): AbortSignal {
  const gone = new AbortController();
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') gone.abort();
    else onFailure(error);
  });
  return gone.signal;
}
