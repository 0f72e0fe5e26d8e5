import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Child } from './start-child.js';

export interface ChildExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

export function watchExit(child: Child): {
  readonly exited: Promise<ChildExit>;
  readonly closed: Promise<void>;
} {
  return {
    exited: new Promise(resolve => child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))),
    closed: new Promise(resolve => child.once('close', () => resolve())),
  };
}

/**
 * Milliseconds for output to come in after the exit. Usually the pipes are closed at once; a descendant that was left
 * running (a daemon of a build tool, a server in the background) keeps them open for as long as it lives.
 */
const DRAIN_MS = 250;

/**
 * Reads what is left of the output; whoever still takes what was read before (`taking`) has all the time for it. A
 * descendant that writes later gets EPIPE, as it would after our own end.
 */
export async function drainOutput(
  child: Child,
  closed: Promise<void>,
  taking: () => Promise<unknown> | undefined,
): Promise<void> {
  let winner = await closedInTime(closed);
  for (let open = taking(); open; open = taking()) {
    await open;
    if (winner === 'late') winner = await closedInTime(closed);
  }
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  // Only matters for a child that even SIGKILL could not end: it must not keep our process from ending.
  child.unref();
}

async function closedInTime(closed: Promise<void>): Promise<'late' | undefined> {
  // A plain timer: ending one by an AbortSignal makes an error object with every call.
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>(resolve => {
    timer = setTimeout(resolve, DRAIN_MS, 'late');
  });
  const winner = await Promise.race([closed.then(() => undefined), late]);
  clearTimeout(timer);
  // A busy event loop comes to the timer late and before it has looked at the pipes: everything that the child wrote
  // waits in their buffers, and one more turn reads it.
  if (winner === 'late') await nextTurn();
  return winner;
}
