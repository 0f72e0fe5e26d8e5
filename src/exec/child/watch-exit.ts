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
 * Milliseconds to wait for output after the exit. Usually the pipes are closed immediately; a descendant that keeps
 * running (a daemon of a build tool, a server in the background) keeps them open as long as it lives.
 */
const DRAIN_MS = 250;

/**
 * Reads what is left of the output; a callback that still processes earlier chunks (`taking`) may take its time. A
 * descendant that writes later gets EPIPE, as it would after our own exit.
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
  // Only matters for a child that survives SIGKILL: it must not keep our process from exiting.
  child.unref();
}

async function closedInTime(closed: Promise<void>): Promise<'late' | undefined> {
  // A plain timer: cancelling one with an AbortSignal creates an error object on every call.
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>(resolve => {
    timer = setTimeout(resolve, DRAIN_MS, 'late');
  });
  const winner = await Promise.race([closed.then(() => undefined), late]);
  clearTimeout(timer);
  // On a busy event loop the timer fires late, before the pipes were read: everything that the child wrote is still in
  // their buffers, and one more turn reads it.
  if (winner === 'late') await nextTurn();
  return winner;
}
