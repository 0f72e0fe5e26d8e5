import { PassThrough, type Readable } from 'node:stream';
import type { SharedEnd } from '../../domain/command/command.js';
import type { ProgramEnds } from '../run-process.js';

/** What the second program gets, as `stdin` and `output` of its request. */
export interface JoinedEnds {
  /** All output of the first one. */
  readonly stdin: Readable;
  /** A pipe to the first one's standard input. */
  readonly output: SharedEnd;
}

/** Milliseconds for a program to exit after the other one has. */
const GRACE_MS = 5000;

/**
 * Runs two programs that talk to each other, such as the two sides of a push. What the second one sends, which may be
 * gigabytes, goes directly to the first one. The output of the first one goes through a small buffer of this process: Node
 * starts to read a child's standard output immediately, and what it has read before the stream is handed over is lost
 * (observed with Node 20). Rejects when one of them could not be run, after both have exited.
 */
export async function joinProcesses<First, Second>(
  startFirst: (join: (ends: ProgramEnds) => void, signal: AbortSignal) => Promise<First>,
  startSecond: (ends: JoinedEnds, signal: AbortSignal) => Promise<Second>,
): Promise<readonly [First, Second | undefined]> {
  const firstEnd = new AbortController();
  const secondEnd = new AbortController();
  let second: Promise<Second> | undefined;
  const join = ({ stdin, stdout }: ProgramEnds): void => {
    second = startSecond({ stdin: relay(stdout), output: { share: stdin } }, secondEnd.signal);
    // In every case, even if it exited before it read the pipe: the first one must not wait for more input.
    second.then(
      () => stdin.destroy(),
      () => stdin.destroy(),
    );
    killLater(second, firstEnd);
  };
  const first = startFirst(join, firstEnd.signal);
  killLater(first, secondEnd);
  // Both must have exited before this is reported.
  await Promise.allSettled([first]);
  await Promise.allSettled([second]);
  const reply = await second;
  return [await first, reply];
}

/** The second program always sees a normal end of input, never an error, regardless of which closes first. */
function relay(source: Readable): Readable {
  const target = new PassThrough();
  source.on('error', () => target.end());
  source.on('close', () => target.end());
  return source.pipe(target);
}

function killLater(program: Promise<unknown>, other: AbortController): void {
  const end = () => void setTimeout(() => other.abort(), GRACE_MS).unref();
  program.then(end, end);
}
