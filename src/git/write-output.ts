import type { GitOptions } from './git.js';

/** Takes a piece of what a command prints. While a promise that it gives is open, the command waits. */
export type WriteOutput = (chunk: Buffer) => void | Promise<void>;

/** Of what is read as it comes, however much that is, nothing has to be kept but what git says of a failure. */
const KEPT_BYTES = 64 * 1024;

/** For a command whose standard output goes to `write` as it comes. */
export const writeOutputTo = (write: WriteOutput): Pick<GitOptions, 'onOutput' | 'maxOutputBytes'> => ({
  onOutput: (stream, chunk) => (stream === 'stdout' ? write(chunk) : undefined),
  maxOutputBytes: KEPT_BYTES,
});
