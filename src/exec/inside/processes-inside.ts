import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { systemProcesses } from '../process/process-table.js';
import { findWithLsof } from './find-inside-lsof.js';
import { findWithProc } from './find-inside-proc.js';

/** Callers must not kill themselves or their own callers inside; code that lists processes inside needs this too. */
export { ancestorsOf } from '../process/process-table.js';

/** A living process that uses a directory. */
export interface ProcessInside {
  readonly identity: ProcessIdentity;
  /** Its command line, shortened to one line, for display. */
  readonly command: string;
  readonly how: 'cwd' | 'root' | 'open-file';
}

/**
 * The living processes whose working directory, root or open file is in or below `directory`; not our own. Leaves out
 * other users' processes, which can't be inspected, and processes in containers, which have other paths.
 */
export async function findProcessesInside(
  directory: string,
  source = systemProcesses(),
): Promise<ProcessInside[]> {
  const path = realPathOf(directory);
  return source.name === 'proc' ? findWithProc(path) : await findWithLsof(path, source);
}

/** A deleted directory can still be a process's working directory. */
function realPathOf(directory: string): string {
  try {
    // As the kernel spells it: on macOS a name may be written in another case.
    return realpathSync.native(directory);
  } catch {
    return resolve(directory);
  }
}
