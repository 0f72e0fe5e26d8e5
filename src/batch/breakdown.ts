import { CarrelError } from '../domain/error.js';
import { explainFullDisk } from '../git/disk-full.js';

/**
 * In words, what kept the machine from doing its part: a full disk, a workspace that could not be had, a system call that
 * failed. A mistake of ours is not passed off as such: it is thrown again.
 */
export async function describeBreakdown(thrown: unknown, place: string): Promise<string> {
  const error = await explainFullDisk(thrown, [place]);
  if (error instanceof CarrelError && error.code !== 'INTERNAL') return `${error.message} (${error.hint})`;
  if (isSystemError(error)) return error.message;
  throw error;
}

/** Of the operating system. Errors of node's own, such as of a wrong argument, have a code as well, but no number. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).errno === 'number';
