import { type ErrorCode, type ErrorDetails, errorCatalog } from './error-catalog.js';

/**
 * Who has to act: the person typing (`user`), the configuration's author (`config`), nobody before a conflict is
 * settled (`conflict`: refused to protect work), the machine's owner (`environment`), the person who named something
 * that is not there (`not-found`), the author of what was run (`failed`), or us (`internal`).
 */
export type ErrorKind = 'user' | 'config' | 'conflict' | 'environment' | 'not-found' | 'failed' | 'internal';

/** The one error class. Branch on `code`; `message` and `hint` are for people and may change. */
export class CarrelError extends Error {
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, details: Readonly<Record<string, unknown>>, cause?: unknown) {
    const entry = errorCatalog[code] as ErrorEntry<never>;
    super(entry.message(details as never), cause === undefined ? undefined : { cause });
    this.name = 'CarrelError';
    this.code = code;
    this.kind = entry.kind;
    this.hint = entry.hint(details as never);
    this.details = details;
  }

  toJSON() {
    const { code, kind, message, hint, details } = this;
    return { code, kind, message, hint, details };
  }
}

/** One line of the catalogue: what an error means, and how it reads for given details. */
export interface ErrorEntry<Details> {
  readonly kind: ErrorKind;
  /** When this happens, for the reference page. */
  readonly summary: string;
  readonly message: (details: Details) => string;
  /** The next thing to do, preferably a command to type. */
  readonly hint: (details: Details) => string;
}

/** Makes the error of a code with exactly the details that its catalogue entry asks for. */
export function carrelError<Code extends ErrorCode>(
  code: Code,
  details: ErrorDetails<Code>,
  cause?: unknown,
): CarrelError {
  return new CarrelError(code, details as Readonly<Record<string, unknown>>, cause);
}

export function isCarrelError(error: unknown, ...codes: ErrorCode[]): error is CarrelError {
  return isFromAnyCopy(error) && (codes.length === 0 || codes.includes(error.code));
}

/** `carrel serve` and `carrel mcp` are bundles of their own, with a copy of this class. */
function isFromAnyCopy(error: unknown): error is CarrelError {
  return (
    error instanceof CarrelError ||
    (error instanceof Error && error.name === 'CarrelError' && 'code' in error)
  );
}

/** The errno name (`ENOENT`, `ENOSPC`, ...) of a failed system call, when that is what `error` is. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Whether a system call failed because nothing is at a path: a file in the place of a directory above says the same. */
export function isMissing(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOENT' || errno === 'ENOTDIR';
}

/**
 * For `catch`: what is missing is undefined, and any other error goes on. Not for `rmdir`, whose ENOTDIR says that
 * something else is there.
 */
export function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
