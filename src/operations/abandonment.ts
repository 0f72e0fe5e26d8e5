import type { ProcessIdentity } from '../domain/process-identity.js';
import { isAlive } from '../exec/process-identity.js';

/** No operation takes this long; its owner can't be looked up from here, in a container or on another machine. */
const LONGEST_OPERATION_MS = 86_400_000;

/** Whether what a process began at `since` is nobody's any more, so that another may adopt it. */
export function isAbandoned(owner: ProcessIdentity, since: string, now: number): boolean {
  const state = isAlive(owner);
  return state === 'dead' || (state === 'unknown' && now - Date.parse(since) > LONGEST_OPERATION_MS);
}
