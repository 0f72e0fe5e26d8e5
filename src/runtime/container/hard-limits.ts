import { readFileSync } from 'node:fs';
import { unlessHidden } from '../../exec/process/proc-table.js';

/** The highest limits that a container can have, -1 for no limit: those of this process. */
export function readHardLimits(): { readonly openFiles: number; readonly processes: number } {
  const text = read('/proc/self/limits') ?? '';
  const processes = hardLimit(text, 'Max processes') ?? Number.POSITIVE_INFINITY;
  // podman lowers its own process limit to the highest pid before it starts anything (observed with 4.3).
  const highestPid = Number(read('/proc/sys/kernel/pid_max') ?? -1);
  return {
    openFiles: hardLimit(text, 'Max open files') ?? -1,
    processes: Math.min(processes, highestPid),
  };
}

const read = (file: string): string | undefined => unlessHidden(() => readFileSync(file, 'latin1'));

/** Columns: name, soft limit, hard limit, unit. */
function hardLimit(text: string, name: string): number | undefined {
  const value = new RegExp(`^${name}\\s+\\S+\\s+(\\d+)\\s`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}
