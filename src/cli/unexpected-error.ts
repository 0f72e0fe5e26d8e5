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

function pathOf(thrown: unknown): string {
  const path = (thrown as NodeJS.ErrnoException).path;
  return typeof path === 'string' ? path : 'a directory';
}
