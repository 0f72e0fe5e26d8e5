import { ProblemError, UnreachableError } from '../client/problem-error.js';
import { type CarrelError, carrelError, errnoOf } from '../domain/error.js';
import type { Problem } from '../domain/problem.js';
import { exitCodes } from './exit-code.js';

export interface ConnectionFacts {
  readonly server: string;
  readonly tokenSource: string;
}

/** What the client threw, as an error of the command line; what is not about the server stays as it is. */
export function explainServerError(thrown: unknown, { server, tokenSource }: ConnectionFacts): unknown {
  if (thrown instanceof ProblemError)
    return thrown.code === 'UNAUTHENTICATED'
      ? carrelError('SERVER_TOKEN_REFUSED', { server, source: tokenSource }, thrown)
      : toCarrelError(thrown.problem, thrown);
  if (thrown instanceof UnreachableError) return explainUnreachable(thrown, server);
  return thrown;
}

/** The server's error, word for word: it may be of another version, with codes that this one does not know. */
function toCarrelError({ code, kind, detail, hint, details }: Problem, cause: Error): CarrelError {
  const known = Object.hasOwn(exitCodes, kind) ? kind : 'internal';
  const facts = { code, kind: known, hint, details } as Pick<
    CarrelError,
    'code' | 'kind' | 'hint' | 'details'
  >;
  return Object.assign(new Error(detail, { cause }), {
    name: 'CarrelError',
    ...facts,
    toJSON: () => ({ ...facts, message: detail }),
  });
}

function explainUnreachable(error: UnreachableError, server: string): CarrelError {
  if (error.cause === undefined)
    return carrelError('NOT_A_CARREL_SERVER', { server, problem: 'its answer is none of ours' }, error);
  const problem = findProblem(error);
  if (CERTIFICATE.test(problem)) return carrelError('SERVER_CERTIFICATE', { server, problem }, error);
  if (OTHER_LANGUAGE.test(problem))
    return carrelError('NOT_A_CARREL_SERVER', { server, problem: `it speaks otherwise (${problem})` }, error);
  return carrelError('SERVER_UNREACHABLE', { server, problem }, error);
}

/** OpenSSL's and Node's names for a certificate that is expired, of another name or signed by nobody who is known. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/;
/** https where http is spoken, or neither. */
const OTHER_LANGUAGE = /^(ERR_SSL_|HPE_)/;

/**
 * The code of what failed, or else what it says. fetch tells nothing but that it failed; why is below. Several addresses
 * of one name fail together.
 */
function findProblem(thrown: Error): string {
  let last = thrown;
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) {
    const code = errnoOf(error) ?? (error instanceof AggregateError ? errnoOf(error.errors[0]) : undefined);
    if (code !== undefined) return code;
    last = error;
  }
  return last.message;
}
