import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { errnoOf } from '../../domain/error/error.js';
import { HEARTBEAT_MS } from '../../domain/process-identity.js';

/**
 * A file that says which process holds something, on a file system that several machines may share. Its modification
 * time is the heartbeat; a process that removes or replaces the file has taken over. Opened again each time, so that a
 * file server returns the current state and writes arrive immediately.
 */
export interface HeartbeatFile {
  readonly file: string;
  /** Exactly what the holder wrote. */
  readonly text: string;
}

/** Whether the file still has the text of its holder. */
export function isHeld({ file, text }: HeartbeatFile): boolean {
  return unlessGone(() => readFileSync(file, 'utf8') === text) ?? false;
}

/**
 * Updates the modification time of the file, by the file server's clock; returns whether the file still belongs to its
 * holder.
 */
function writeHeartbeat({ file, text }: HeartbeatFile): boolean {
  return (
    unlessGone(() => {
      const descriptor = openSync(file, 'r+');
      try {
        // Read through the same descriptor, so that a file that replaced it in the meantime is not written to.
        if (readFileSync(descriptor, 'utf8') !== text) return false;
        writeSync(descriptor, text.slice(0, 1), 0);
        return true;
      } finally {
        closeSync(descriptor);
      }
    }) ?? false
  );
}

/**
 * Updates the file until stopped, and calls `onLost` once when it no longer belongs to its holder. Reads more often than it writes: every
 * write goes to the file server. Returns a function that stops it.
 */
export function keepHeartbeat(sign: HeartbeatFile, onLost: () => void): () => void {
  let shownAt = performance.now();
  const timer = setInterval(() => {
    const isDue = performance.now() - shownAt >= HEARTBEAT_MS;
    try {
      const isOurs = isDue ? writeHeartbeat(sign) : isHeld(sign);
      if (isDue) shownAt = performance.now();
      if (isOurs) return;
    } catch {
      // No free descriptor, or a file server that does not answer: retried at the next interval.
      return;
    }
    clearInterval(timer);
    onLost();
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

/** How soon a process that was suspended notices that another one has taken over. */
const CHECK_MS = 1000;

/** ESTALE: returned by a file server for a file that another machine has removed. */
function unlessGone<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ESTALE'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}
