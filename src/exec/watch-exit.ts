import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
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

/** Reads what is left of the output. A descendant that writes later gets EPIPE, as it would after our own end. */
export async function drainOutput(child: Child, closed: Promise<void>): Promise<void> {
  const over = new AbortController();
  await Promise.race([closed, delay(DRAIN_MS, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
  // A busy event loop comes to the timer late and before it has looked at the pipes: everything that the child wrote
  // waits in their buffers, and one more turn reads it.
  await nextTurn();
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  // Only matters for a child that even SIGKILL could not end: it must not keep our process from ending.
  child.unref();
}
