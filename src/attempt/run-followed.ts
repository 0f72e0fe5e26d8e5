import { createLineSplitter, type LineSplitter } from '../agent/stream/line-splitter.js';
import type { Command, CommandResult, StreamName } from '../domain/command/command.js';
import type { Environment } from '../domain/command/environment.js';
import type { Redactor } from '../domain/secret/redactor.js';
import { createOutputTail } from '../workspace/setup/output-tail.js';

export type OnLine = (stream: StreamName, text: string) => void;

export interface FollowOptions {
  /** Redacts secrets before anything else sees the output. */
  readonly redactor?: Redactor | undefined;
  /** Lines of output that are kept. */
  readonly tailLines?: number | undefined;
  /** What reads each stream: `splitLines`, usually. */
  readonly readers?: Readonly<Record<StreamName, LineSplitter>> | undefined;
  /** Called after every piece of output, and after the last line. */
  readonly onProgress?: (() => void) | undefined;
}

export interface FollowedResult {
  readonly result: CommandResult;
  /** The end of both streams in the order in which they came, without control characters. */
  readonly tail: string;
}

/** Runs a command and reads its output as it comes. */
export async function runFollowed(
  environment: Environment,
  command: Command,
  { redactor, tailLines, readers, onProgress }: FollowOptions,
): Promise<FollowedResult> {
  const tail = createOutputTail(tailLines);
  const read = (stream: StreamName, chunk: Buffer) => {
    tail.add(chunk);
    readers?.[stream].add(chunk);
    onProgress?.();
  };
  const output = redactor ? redactOutput(redactor, read) : { onOutput: read, end: () => undefined };
  const result = await environment.run({ ...command, onOutput: output.onOutput });
  output.end();
  for (const reader of Object.values(readers ?? {})) reader.end();
  onProgress?.();
  return { result, tail: tail.text() };
}

type OnOutput = (stream: 'stdout' | 'stderr', chunk: Buffer) => void;

/** Redacts secrets in a program's output before it is shown or stored. `end` returns what was held back. */
function redactOutput(
  redactor: Redactor,
  onOutput: OnOutput,
): { readonly onOutput: OnOutput; readonly end: () => void } {
  const streams = { stdout: redactor.stream(), stderr: redactor.stream() };
  const give = (stream: 'stdout' | 'stderr', chunk: Buffer) => {
    if (chunk.length > 0) onOutput(stream, chunk);
  };
  return {
    onOutput: (stream, chunk) => give(stream, streams[stream].add(chunk)),
    end: () => {
      give('stdout', streams.stdout.end());
      give('stderr', streams.stderr.end());
    },
  };
}

/** Both streams, line by line. */
export const splitLines = (onLine: OnLine): Record<StreamName, LineSplitter> => ({
  stdout: createLineSplitter(text => onLine('stdout', text)),
  stderr: createLineSplitter(text => onLine('stderr', text)),
});
