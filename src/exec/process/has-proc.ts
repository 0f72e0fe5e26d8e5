import { existsSync } from 'node:fs';

/** Whether Linux's /proc is there; other systems have none or a different one. */
export function hasProc(): boolean {
  return existsSync('/proc/self/stat');
}
