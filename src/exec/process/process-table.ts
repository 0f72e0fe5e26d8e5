import { hasProc } from './has-proc.js';
import { procSource } from './proc-table.js';
import type { ProcessSource } from './process-source.js';
import { psSource } from './ps-table.js';

/** One living process. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** 0 where the operating system does not report it. */
  readonly session: number;
  /** One letter, as `ps` shows it: R, S, D, T, ... */
  readonly state: string;
  /** Opaque, compared for equality: the same pid with another start is another process. */
  readonly startedAt: string;
}

/** Chooses the source for this system; the only place that decides. */
export const systemProcesses = (): ProcessSource => (hasProc() ? procSource : psSource);

export { hasProc };

/** Every living process that is visible to us. */
export const listProcesses = (source = systemProcesses()): ProcessEntry[] => source.list();

/** The living process with this pid. */
export const findProcess = (pid: number, source = systemProcesses()): ProcessEntry | undefined =>
  source.find(pid);

/** Parent, grandparent and so on, without pid 1 and everything above it. */
export function ancestorsOf(pid: number, source = systemProcesses()): number[] {
  const parents = new Map(source.list().map(entry => [entry.pid, entry.parent]));
  const ancestors: number[] = [];
  let parent = parents.get(pid);
  while (parent !== undefined && parent > 1 && !ancestors.includes(parent)) {
    ancestors.push(parent);
    parent = parents.get(parent);
  }
  return ancestors;
}
