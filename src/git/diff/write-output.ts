import type { GitOptions } from '../git.js';

/** Receives a chunk of a command's output. The command waits while the returned promise is pending. */
export type WriteOutput = (chunk: Buffer) => void | Promise<void>;

/** Output is streamed, so only git's error output has to be kept. */
const KEPT_BYTES = 64 * 1024;

/** For a command whose standard output is streamed to `write`. */
export const writeOutputTo = (write: WriteOutput): Pick<GitOptions, 'onOutput' | 'maxOutputBytes'> => ({
  onOutput: (stream, chunk) => (stream === 'stdout' ? write(chunk) : undefined),
  maxOutputBytes: KEPT_BYTES,
});
