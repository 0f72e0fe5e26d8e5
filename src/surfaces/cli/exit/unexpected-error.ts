import { type CarrelError, carrelError, errnoOf, isCarrelError } from '../../../domain/error/error.js';

/**
 * Classifies errors that no other code did: an error of the file system belongs to the machine, everything else is a bug
 * in Carrel.
 */
export function toCarrelError(thrown: unknown): CarrelError {
  if (isCarrelError(thrown)) return thrown;
  const errno = errnoOf(thrown);
  const path = pathOf(thrown);
  if (errno === 'ENOSPC' || errno === 'EDQUOT') return carrelError('DISK_FULL', { path }, thrown);
  if (errno === 'EMFILE' || errno === 'ENFILE') return carrelError('TOO_MANY_OPEN_FILES', { path }, thrown);
  if (errno === 'EROFS' || errno === 'EACCES' || errno === 'EPERM') {
    return carrelError('STATE_NOT_WRITABLE', { path, problem: errno }, thrown);
  }
  return carrelError(
    'INTERNAL',
    { problem: thrown instanceof Error ? thrown.message : String(thrown) },
    thrown,
  );
}

/** Copying and renaming report both paths; the second is the one written. */
function pathOf(thrown: unknown): string {
  const { path, dest = path } = thrown as NodeJS.ErrnoException & { dest?: string };
  return typeof dest === 'string' ? dest : 'a directory that Carrel writes to';
}
