import { CarrelError, carrelError } from '../../domain/error/error.js';

/** SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Connection, resources, operator intervention, system error. */
const AWAY = ['08', '53', '57', '58'];
/** A deadlock or a conflict with another transaction: the same action can succeed. */
const REPEATABLE = ['40001', '40P01'];
const UNDEFINED_TABLE = '42P01';
const UNDEFINED_SCHEMA = '3F000';

export const isRepeatable = (error: unknown): boolean => REPEATABLE.includes(codeOf(error));

/** Translates an error of PostgreSQL or of the connection; our own errors and thrown values are returned unchanged. */
export function translatePostgresError(error: unknown, location: string): unknown {
  if (error instanceof CarrelError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === UNDEFINED_TABLE || code === UNDEFINED_SCHEMA)
    return carrelError('FLEET_NOT_INITIALIZED', { location }, error);
  if (SQLSTATE.test(code) && !AWAY.includes(code.slice(0, 2)))
    return carrelError('INTERNAL', { problem: `PostgreSQL reported ${error.message} (${code})` }, error);
  // Errors of sockets and of the pool have other codes, or none.
  const problem = error.message || code || 'no connection';
  return carrelError('FLEET_UNAVAILABLE', { location, problem }, error);
}

/** Of PostgreSQL. The codes of system calls are no SQLSTATE, although EPIPE has the form of one. */
function codeOf(error: unknown): string {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  return typeof code === 'string' && syscall === undefined ? code : '';
}
