import { finished, type Readable, type Writable } from 'node:stream';
import type { RunRequest } from './run.js';
import type { Child } from './start-child.js';

/**
 * Gives the child its standard input. That the child does not read it, or not all (EPIPE), is its own affair. A source
 * that breaks is not: the child would take the half for the whole, so `fail` is called and it never sees an end.
 */
export function feedStdin(child: Child, stdin: RunRequest['stdin'], fail: (error: unknown) => void): void {
  if (!child.stdin || stdin === undefined || stdin === 'inherit') return;
  child.stdin.on('error', () => {});
  if (typeof stdin === 'string' || Buffer.isBuffer(stdin)) child.stdin.end(stdin);
  else if (!('share' in stdin)) connect(stdin, child.stdin, fail);
}

/** Not `pipeline`: it would end the child's input when the source breaks, and hand the child's EPIPE to the source. */
function connect(source: Readable, target: Writable, fail: (error: unknown) => void): void {
  finished(source, { writable: false }, error => {
    if (error && !target.destroyed) fail(error);
  });
  target.once('close', () => source.destroy());
  source.pipe(target);
}
