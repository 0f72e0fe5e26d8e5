import { mapStrings } from '../secret/map-strings.js';
import { hideUrlCredentials } from '../secret/url-credentials.js';
import { type ErrorCode, type ErrorDetails, errorCatalog } from './error-catalog.js';

/**
 * Who has to act: `user`: the person typing. `config`: the author of the configuration. `conflict`: the user, who has
 * to resolve it first (refused to protect work). `environment`: the owner of the machine. `not-found`: the person who
 * named something that does not exist. `failed`: the author of the program that ran. `internal`: us.
 */
export type ErrorKind = 'user' | 'config' | 'conflict' | 'environment' | 'not-found' | 'failed' | 'internal';

/** The one error class. Branch on `code`; `message` and `hint` are for people and may change. */
export class CarrelError extends Error {
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;

  /** `carrel/tools` has its own copy of this class, and agents that use it run in our processes: both are one to `instanceof`. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return (
      Error[Symbol.hasInstance](value) &&
      (value as Error).name === 'CarrelError' &&
      'code' in (value as Error)
    );
  }

  constructor(code: ErrorCode, details: Readonly<Record<string, unknown>>, cause?: unknown) {
    const entry = errorCatalog[code] as ErrorEntry<never>;
    super(hideUrlCredentials(entry.message(details as never)), cause === undefined ? undefined : { cause });
    this.name = 'CarrelError';
    this.code = code;
    this.kind = entry.kind;
    this.hint = hideUrlCredentials(entry.hint(details as never));
    this.details = details;
  }

  toJSON() {
    const { code, kind, message, hint, details } = this;
    return { code, kind, message, hint, details: mapStrings(details, hideUrlCredentials) };
  }
}

/** An entry of the catalog: what an error means, and its message and hint for given details. */
export interface ErrorEntry<Details> {
  readonly kind: ErrorKind;
  /** When this happens, for the reference page. */
  readonly summary: string;
  readonly message: (details: Details) => string;
  /** The next thing to do, preferably a command to type. */
  readonly hint: (details: Details) => string;
}

/** Creates an error by its code. The types require exactly the details of its catalog entry. */
export function carrelError<Code extends ErrorCode>(
  code: Code,
  details: ErrorDetails<Code>,
  cause?: unknown,
): CarrelError {
  return new CarrelError(code, details as Readonly<Record<string, unknown>>, cause);
}

/**
 * Whether an error is a `CarrelError`, of one of the codes when some are given.
 *
 * @example
 * ```ts
 * try {
 *   await carrel.workspaces.remove('login');
 * } catch (error) {
 *   if (!isCarrelError(error, 'REMOVAL_REFUSED')) throw error;
 *   console.error(error.message, error.hint);
 * }
 * ```
 */
export function isCarrelError(error: unknown, ...codes: ErrorCode[]): error is CarrelError {
  return error instanceof CarrelError && (codes.length === 0 || codes.includes(error.code));
}

/** The errno name (`ENOENT`, `ENOSPC`, ...) of a failed system call, when that is what `error` is. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Whether a system call failed because the path does not exist. ENOTDIR: a parent of the path is a file. */
export function isMissing(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOENT' || errno === 'ENOTDIR';
}

/**
 * For `catch`: returns undefined for a missing path and throws every other error. Not for `rmdir`, where ENOTDIR means
 * that something else is at the path.
 */
export function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
