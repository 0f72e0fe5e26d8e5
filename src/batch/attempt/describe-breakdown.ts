import { CarrelError } from '../../domain/error/error.js';
import { explainFullDisk } from '../../git/disk/disk-full.js';

/**
 * Describes an infrastructure failure: a full disk, a workspace that could not be created, a system call that
 * failed. Bugs in Carrel are rethrown.
 */
export async function describeBreakdown(thrown: unknown, place: string): Promise<string> {
  const error = await explainFullDisk(thrown, [place]);
  if (error instanceof CarrelError && error.code !== 'INTERNAL') return `${error.message} (${error.hint})`;
  if (isSystemError(error)) return error.message;
  throw error;
}

/** An operating system error. Node's own errors, such as for a wrong argument, have a code too, but no errno. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).errno === 'number';
