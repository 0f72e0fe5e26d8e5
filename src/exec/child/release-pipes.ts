import { closeSync, constants, type Dirent, openSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Keeps git and jj from waiting forever. Both open rule files and files of nested repositories without checking their
 * type, and opening a named pipe blocks until another process opens it for writing. So when a command takes long, such
 * pipes are opened and closed here: the reader finds them empty and continues. Other pipes are left alone: the programs
 * of an agent may be using them. Stop it when the command has exited.
 */
export function releasePipes(root: string | undefined): { stop(): void } {
  const control = new AbortController();
  if (root === undefined) return { stop: () => undefined };
  const timer = setTimeout(() => void release(Buffer.from(root), control.signal), PATIENCE_MS);
  timer.unref();
  return {
    stop: () => {
      clearTimeout(timer);
      control.abort();
    },
  };
}

/** Nearly every command is done by then, so no search is needed. */
const PATIENCE_MS = 1000;
/** A command may open one pipe after another. */
const ROUND_MS = 20;

async function release(root: Buffer, signal: AbortSignal): Promise<void> {
  const pipes = await findPipes(root, signal);
  while (pipes.length > 0 && !signal.aborted) {
    for (const pipe of pipes) openAndClose(pipe);
    await wait(ROUND_MS, undefined, { ref: false });
  }
}

async function findPipes(root: Buffer, signal: AbortSignal): Promise<Buffer[]> {
  const pipes: Buffer[] = [];
  const pending = [{ path: root, isRepository: false }];
  for (let at = pending.pop(); at !== undefined && !signal.aborted; at = pending.pop()) {
    for (const entry of await listEntries(at.path)) {
      const isOfGit = at.isRepository || entry.name.toString('latin1').startsWith('.git');
      const path = Buffer.concat([at.path, SLASH, entry.name]);
      if (entry.isDirectory()) pending.push({ path, isRepository: isOfGit });
      if (entry.isFIFO() && isOfGit) pipes.push(path);
    }
  }
  return pipes;
}

const SLASH = Buffer.from('/');

const listEntries = (path: Buffer): Promise<Dirent<Buffer>[]> =>
  readdir(path, { withFileTypes: true, encoding: 'buffer' }).catch(() => []);

/** Fails with ENXIO while no process waits for it. */
function openAndClose(path: Buffer): void {
  const { O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  try {
    closeSync(openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW));
  } catch {
    // No process waits for it, or it is gone.
  }
}
