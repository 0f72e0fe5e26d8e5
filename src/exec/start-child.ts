import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { carrelError, isMissing } from '../domain/error.js';
import type { RunRequest } from './run.js';

/** A child that runs, so its pid is known. */
export type Child = ChildProcess & { readonly pid: number };

/** Starts the program itself, never a shell, so that no argument is ever read as anything else. */
export async function startChild(request: RunRequest): Promise<Child> {
  try {
    const child = spawn(request.command, request.args, {
      cwd: request.cwd,
      env: { ...request.env },
      stdio: chooseStdio(request),
      // A session of its own: Ctrl-C does not reach it before we decide, the whole group can be signalled, and without
      // a controlling terminal no ssh or git below it can open /dev/tty to ask for a password.
      detached: request.output !== 'inherit',
    });
    await once(child, 'spawn');
    return child as Child;
  } catch (error) {
    throw isMissingDirectory(error, request.cwd)
      ? carrelError('NO_SUCH_DIRECTORY', { path: request.cwd }, error)
      : error;
  }
}

function chooseStdio({ stdin, output }: RunRequest): StdioOptions {
  const input = stdin === undefined ? 'ignore' : stdin === 'inherit' ? 'inherit' : 'pipe';
  const sink = output === 'inherit' ? 'inherit' : 'pipe';
  return [input, sink, sink];
}

/** The system says the same ENOENT for a missing command and a missing working directory. */
function isMissingDirectory(error: unknown, cwd: string): boolean {
  if (!isMissing(error)) return false;
  return !statSync(cwd, { throwIfNoEntry: false })?.isDirectory();
}
