import { PassThrough, type Readable } from 'node:stream';
import type { ProgramEnds, SharedEnd } from './run.js';

/** What the second program gets, as `stdin` and `output` of its request. */
export interface JoinedEnds {
  /** All that the first one says. */
  readonly stdin: Readable;
  /** Leads to the first one's standard input. */
  readonly output: SharedEnd;
}

/** Milliseconds that either program has for its own end once the other one has ended. */
const GRACE_MS = 5000;

/**
 * Runs two programs that talk to each other, such as the two sides of a push. What the second one sends, which may be
 * gigabytes, goes from one to the other without us. What the first one answers goes through a small buffer of ours: Node
 * reads the standard output of a child from its start on, so what it said before the second one runs would be lost
 * otherwise (seen with Node 20: of a stream that is handed over, what was read before is not).
 *
 * Rejects as soon as both have ended, when one of them could not be run.
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
    // However it ended, also before it took the pipe: the first one must not wait for more.
    second.then(
      () => stdin.destroy(),
      () => stdin.destroy(),
    );
    endLater(second, firstEnd);
  };
  const first = startFirst(join, firstEnd.signal);
  endLater(first, secondEnd);
  // Both have to have ended before anybody hears of it.
  await Promise.allSettled([first]);
  await Promise.allSettled([second]);
  const reply = await second;
  return [await first, reply];
}

/** The end of the first program is an end and never a break for the second one, whoever of them closes first. */
function relay(source: Readable): Readable {
  const target = new PassThrough();
  source.on('error', () => target.end());
  source.on('close', () => target.end());
  return source.pipe(target);
}

function endLater(program: Promise<unknown>, other: AbortController): void {
  const end = () => void setTimeout(() => other.abort(), GRACE_MS).unref();
  program.then(end, end);
}
