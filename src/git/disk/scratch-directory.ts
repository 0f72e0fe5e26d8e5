import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import { systemProcesses } from '../../exec/process/process-table.js';

/** Runs `action` with a new directory below `parent` that is deleted afterwards. Its name identifies the process if it is killed. */
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
  // Most names in a temporary directory belong to other programs, and reading the namespace takes two system calls.
  return match && match[2] === pidNamespace() ? Number(match[1]) : undefined;
}

/** A container that shares the temporary directory has its own pids; 0 where there are no namespaces. */
function pidNamespace(): string {
  return /\[(\d+)\]$/.exec(systemProcesses().namespaceOf() ?? '')?.[1] ?? '0';
}

function explain(error: unknown, path: string): unknown {
  const problem = errnoOf(error);
  if (problem === undefined) return error;
  return problem === 'ENOSPC' || problem === 'EDQUOT'
    ? carrelError('DISK_FULL', { path }, error)
    : carrelError('TEMPORARY_NOT_WRITABLE', { path, problem }, error);
}
