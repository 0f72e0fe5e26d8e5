import { errnoOf } from '../../domain/error/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { isAlive } from '../process/identify-process.js';

/** Sends SIGINT to exactly this process; false when it is not known to be alive, or belongs to another user. */
export function interruptProcess(identity: ProcessIdentity): boolean {
  if (isAlive(identity) !== 'alive') return false;
  try {
    return process.kill(identity.pid, 'SIGINT');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error;
    return false;
  }
}
