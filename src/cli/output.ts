import pc from 'picocolors';
import { printableLines } from './printable.js';

type Colors = ReturnType<typeof pc.createColors>;

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
  /** Colours for the answer; without effect unless stdout is a terminal. */
  readonly answerColors: Colors;
  /** Colours for narration; without effect unless stderr is a terminal. */
  readonly narrationColors: Colors;
}

/** A place to write to: process.stdout, process.stderr, or what a test listens with. */
export interface Sink {
  readonly isTTY?: boolean | undefined;
  write(chunk: string | Buffer): unknown;
}

export function createOutput(
  stdout: Sink,
  stderr: Sink,
  environment: Readonly<Record<string, string>>,
): Output {
  return {
    answer: text => void stdout.write(`${text}\n`),
    bytes: chunk => void stdout.write(chunk),
    json: value => void stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    narrate: line => void stderr.write(`${printableLines(line)}\n`),
    narrateBytes: chunk => void stderr.write(chunk),
    narrateBlock: text => void stderr.write(`${text}\n`),
    answerColors: pc.createColors(takesColors(stdout, environment)),
    narrationColors: pc.createColors(takesColors(stderr, environment)),
  };
}

function takesColors(sink: Sink, environment: Readonly<Record<string, string>>): boolean {
  return sink.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

/**
 * A reader that goes away (`carrel ls | head -1`) is no failure of ours: what it does not read is dropped. Any other
 * failure (a full disk behind a redirection) is told to `onFailure`.
 */
export function watchStream(stream: NodeJS.WriteStream, onFailure: (error: Error) => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') onFailure(error);
  });
}
