import { existsSync } from 'node:fs';
import { findProcProcess, listProcProcesses } from './proc-table.js';
import { findPsProcess, listPsProcesses } from './ps-table.js';

/** One living process. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** 0 where the operating system does not tell. */
  readonly session: number;
  /** One letter, as `ps` shows it: R, S, D, T, ... */
  readonly state: string;
  /** Opaque, compared for equality: the same pid with another start is another process. */
  readonly startedAt: string;
}

/** Every living process that we may see. A zombie is dead: it only waits for its parent to take note, maybe for ever. */
export function listProcesses(): ProcessEntry[] {
  return hasProc() ? listProcProcesses() : listPsProcesses();
}

/** The living process with this pid. */
export function findProcess(pid: number): ProcessEntry | undefined {
  return hasProc() ? findProcProcess(pid) : findPsProcess(pid);
}

/** Parent, grandparent and so on, without pid 1 and whatever is above it. */
export function ancestorsOf(pid: number): number[] {
  const parents = new Map(listProcesses().map(entry => [entry.pid, entry.parent]));
  const ancestors: number[] = [];
  let parent = parents.get(pid);
  while (parent !== undefined && parent > 1 && !ancestors.includes(parent)) {
    ancestors.push(parent);
    parent = parents.get(parent);
  }
  return ancestors;
}

/** Whether Linux's /proc is there; other systems have none or a different one. */
export function hasProc(): boolean {
  return existsSync('/proc/self/stat');
}
