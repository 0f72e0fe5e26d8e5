import { isSameProcess, NO_OWNER, type ProcessIdentity } from '../../domain/process-identity.js';
import { findOwnerState } from '../../exec/process/identify-process.js';

/** No operation takes this long. For owners that can't be checked from here, in a container for example. */
const LONGEST_OPERATION_MS = 86_400_000;

/** Whether an operation that a process started at `since` is abandoned, so that another may adopt it. */
export function isAbandoned(owner: ProcessIdentity, since: string, now: number): boolean {
  if (isSameProcess(owner, NO_OWNER)) return true;
  const state = findOwnerState(owner);
  return state === 'dead' || (state === 'unknown' && now - Date.parse(since) > LONGEST_OPERATION_MS);
}
