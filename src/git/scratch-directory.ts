import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, errnoOf } from '../domain/error.js';
import { currentRealm } from '../exec/process-identity.js';

/** Runs `action` with a new directory below `parent` that is gone afterwards. The name tells who left it after a kill. */
export async function withScratchDirectory<T>(
  parent: string,
  action: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(parent, `carrel-${process.pid}-${pidNamespace()}-`)).catch(error => {
    throw explain(error, parent);
  });
  try {
    return await action(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The process that made a scratch directory of this name, when it is one of this pid namespace; undefined otherwise. */
export function findScratchOwner(name: string): number | undefined {
  const match = /^carrel-(\d+)-(\d+)-/.exec(name);
  // Most names in a temporary directory are somebody else's, and asking for the namespace is two system calls.
  return match && match[2] === pidNamespace() ? Number(match[1]) : undefined;
}

/** A container that shares the temporary directory has pids of its own; 0 where there are no namespaces. */
function pidNamespace(): string {
  return /\[(\d+)\]$/.exec(currentRealm())?.[1] ?? '0';
}

function explain(error: unknown, path: string): unknown {
  const problem = errnoOf(error);
  if (problem === undefined) return error;
  return problem === 'ENOSPC' || problem === 'EDQUOT'
    ? carrelError('DISK_FULL', { path }, error)
    : carrelError('TEMPORARY_NOT_WRITABLE', { path, problem }, error);
}
