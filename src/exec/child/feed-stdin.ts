import { finished, type Readable, type Writable } from 'node:stream';
import type { RunRequest } from '../run-process.js';
import type { Child } from './start-child.js';

/**
 * Writes the child's standard input. If the child does not read all of it (EPIPE), that is fine. If the source fails,
 * `fail` is called and the child never sees an end of input: otherwise it would treat the incomplete input as complete.
 */
export function feedStdin(child: Child, stdin: RunRequest['stdin'], fail: (error: unknown) => void): void {
  if (!child.stdin || stdin === undefined || stdin === 'inherit') return;
  child.stdin.on('error', () => {});
  if (typeof stdin === 'string' || Buffer.isBuffer(stdin)) child.stdin.end(stdin);
  else if (!('share' in stdin)) connect(stdin, child.stdin, fail);
}

/** Not `pipeline`: it would end the child's input when the source fails, and report the child's EPIPE to the source. */
function connect(source: Readable, target: Writable, fail: (error: unknown) => void): void {
  finished(source, { writable: false }, error => {
    if (error && !target.destroyed) fail(error);
  });
  target.once('close', () => source.destroy());
  source.pipe(target);
}
