import { constants } from 'node:os';
import type { ErrorKind } from '../../../domain/error/error.js';

export const DONE = 0;

/** The exit statuses that scripts may rely on. Defined only here. */
export const exitCodes: Readonly<Record<ErrorKind, number>> = {
  failed: 1,
  user: 2,
  config: 2,
  conflict: 3,
  environment: 4,
  'not-found': 5,
  internal: 6,
};

/** The task has not ended: it waits for `carrel task approve`. */
export const WAITS_FOR_APPROVAL = 7;

/** What a shell reports for a process that a signal killed. */
export function exitCodeOfSignal(signal: string): number {
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}
