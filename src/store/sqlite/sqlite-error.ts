import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type CarrelError, carrelError, errnoOf } from '../../domain/error/error.js';

/**
 * An error of libsql, identified by its number. The low byte is the primary code: https://www.sqlite.org/rescode.html
 */
interface SqliteError extends Error {
  readonly code: string;
  readonly rawCode: number;
}

const BUSY = 5;
const LOCKED = 6;
/** Gave up on the locks of the write-ahead log after many attempts: contention, not damage. */
const PROTOCOL = 15;

const NOT_WRITABLE: ReadonlySet<number> = new Set([
  3 /* PERM */, 8 /* READONLY */, 14 /* CANTOPEN */, 23 /* AUTH */,
]);
const DAMAGED: ReadonlySet<number> = new Set([
  10 /* IOERR */, 11 /* CORRUPT */, 24 /* FORMAT */, 26 /* NOTADB */,
]);
const FULL = 13;

export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && [BUSY, LOCKED, PROTOCOL].includes(primaryCode(error));
}

/** Translates an error of SQLite into a CarrelError; other errors are returned unchanged. */
export function translateSqliteError(error: unknown, file: string): unknown {
  if (!isSqliteError(error)) return error;
  const code = primaryCode(error);
  if (code === FULL || (DAMAGED.has(code) && isDiskFull(file)))
    return carrelError('DISK_FULL', { path: file }, error);
  if (NOT_WRITABLE.has(code))
    return carrelError('STATE_NOT_WRITABLE', { path: file, problem: error.code }, error);
  if (DAMAGED.has(code)) {
    return carrelError('STORE_CORRUPT', { file, problem: `${error.message}, ${error.code}` }, error);
  }
  return carrelError(
    'INTERNAL',
    { problem: `the database reported ${error.message} (${error.code})` },
    error,
  );
}

/** Translates a failure to create or open the file into a CarrelError. */
export function translateOpenError(error: unknown, file: string): CarrelError {
  const errno = errnoOf(error);
  if (errno === 'ENOSPC' || errno === 'EDQUOT') return carrelError('DISK_FULL', { path: file }, error);
  if (errno === 'EMFILE' || errno === 'ENFILE')
    return carrelError('TOO_MANY_OPEN_FILES', { path: file }, error);
  // libsql gives neither an errno nor a code when it cannot open the file itself.
  const problem = errno || 'the database library cannot open it';
  return carrelError('STATE_NOT_WRITABLE', { path: file, problem }, error);
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && typeof (error as Partial<SqliteError>).rawCode === 'number';
}

const primaryCode = (error: SqliteError): number => error.rawCode & 0xff;

/**
 * When there is no space for the shared memory file, SQLite reports an I/O error (IOERR_SHMSIZE), so the file system is
 * checked.
 */
function isDiskFull(file: string): boolean {
  try {
    return statfsSync(dirname(file)).bavail === 0;
  } catch {
    return false;
  }
}
