import { errnoOf } from '../domain/error.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import { isAlive } from './process-identity.js';

/** Sends SIGINT to exactly this process; false when it can't be told to be alive, or is somebody else's. */
export function interruptProcess(identity: ProcessIdentity): boolean {
  if (isAlive(identity) !== 'alive') return false;
  try {
    return process.kill(identity.pid, 'SIGINT');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error;
    return false;
  }
}
