import { type CarrelError, carrelError, errnoOf, isCarrelError } from '../domain/error.js';

/**
 * The last resort for what nobody below gave a name: a refusal of the file system is the machine's, everything else
 * is a bug of ours.
 */
export function toCarrelError(thrown: unknown): CarrelError {
  if (isCarrelError(thrown)) return thrown;
  const errno = errnoOf(thrown);
  const path = pathOf(thrown);
  if (errno === 'ENOSPC' || errno === 'EDQUOT') return carrelError('DISK_FULL', { path }, thrown);
  if (errno === 'EROFS' || errno === 'EACCES' || errno === 'EPERM') {
    return carrelError('STATE_NOT_WRITABLE', { path, problem: errno }, thrown);
  }
  return carrelError(
    'INTERNAL',
    { problem: thrown instanceof Error ? thrown.message : String(thrown) },
    thrown,
  );
}

/** Copying and renaming tell both ends; it is the second that is written. */
function pathOf(thrown: unknown): string {
  const { path, dest = path } = thrown as NodeJS.ErrnoException & { dest?: string };
  return typeof dest === 'string' ? dest : 'a directory that Carrel writes to';
}
