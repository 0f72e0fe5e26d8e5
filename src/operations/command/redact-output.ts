import type { Redactor } from '../../domain/secret/redactor.js';

type OnOutput = (stream: 'stdout' | 'stderr', chunk: Buffer) => void;

/** Redacts secrets in a program's output before it is shown or stored. `end` returns what was held back. */
export function redactOutput(
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
