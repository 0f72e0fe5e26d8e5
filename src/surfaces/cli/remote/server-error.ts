import { type CarrelError, carrelError, errnoOf } from '../../../domain/error/error.js';
import type { Problem } from '../../../domain/error/problem.js';
import { ProblemError, UnreachableError } from '../../client/problem-error.js';
import { exitCodes } from '../exit/exit-code.js';

export interface ConnectionFacts {
  readonly server: string;
  readonly tokenSource: string;
}

/** Turns an error of the client into an error of the command line. Other errors are not changed. */
export function explainServerError(thrown: unknown, { server, tokenSource }: ConnectionFacts): unknown {
  if (thrown instanceof ProblemError)
    return thrown.code === 'UNAUTHENTICATED'
      ? carrelError('SERVER_TOKEN_REFUSED', { server, source: tokenSource }, thrown)
      : toCarrelError(thrown.problem, thrown);
  if (thrown instanceof UnreachableError) return explainUnreachable(thrown, server);
  return thrown;
}

/** The server's error unchanged: a server of another version may use codes that this one does not know. */
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
    return carrelError('NOT_A_CARREL_SERVER', { server, problem: 'its response is not from Carrel' }, error);
  const problem = findProblem(error);
  if (CERTIFICATE.test(problem)) return carrelError('SERVER_CERTIFICATE', { server, problem }, error);
  if (OTHER_LANGUAGE.test(problem))
    return carrelError(
      'NOT_A_CARREL_SERVER',
      { server, problem: `it uses another protocol (${problem})` },
      error,
    );
  return carrelError('SERVER_UNREACHABLE', { server, problem }, error);
}

/** The codes of OpenSSL and Node for a certificate that is expired, for another name, or signed by an unknown authority. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/;
/** https to an http server, or to neither. */
const OTHER_LANGUAGE = /^(ERR_SSL_|HPE_)/;

/**
 * The error code, or else the message. fetch only reports that it failed; the cause says why. Several addresses of one
 * name fail together.
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
