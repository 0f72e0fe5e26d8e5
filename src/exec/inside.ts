import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProcessIdentity } from '../domain/process-identity.js';
import { findWithLsof } from './inside-lsof.js';
import { findWithProc } from './inside-proc.js';
import { hasProc } from './process-table.js';

/** Who finds itself or its callers inside must not end them; whoever asks who is inside needs this too. */
export { ancestorsOf } from './process-table.js';

/** A living process that holds on to a directory. */
export interface ProcessInside {
  readonly identity: ProcessIdentity;
  /** Its command line, shortened, on one line; for people. */
  readonly command: string;
  readonly how: 'cwd' | 'root' | 'open-file';
}

/**
 * The living processes whose working directory, root or an open file lies in or below `directory`; not our own. Silent
 * about those that we may not look into (other users'), and about those in a container, which have other paths.
 */
export async function findProcessesInside(directory: string): Promise<ProcessInside[]> {
  const path = realPathOf(directory);
  return hasProc() ? findWithProc(path) : await findWithLsof(path);
}

/** A directory that is gone can still be somebody's working directory. */
function realPathOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return resolve(directory);
  }
}
