import { HTTPException } from 'hono/http-exception';
import { CarrelError, carrelError } from '../../../domain/error/error.js';
import { errorCatalog } from '../../../domain/error/error-catalog.js';
import type { Problem } from '../../../domain/error/problem.js';
import type { ApiContext } from '../api.js';
import { statusOfError } from './status-of-error.js';

/** The answer for an error of a route or a check. */
export function problemResponse(c: ApiContext, error: unknown): Response {
  const requestId = c.get('requestId');
  const known = knownError(error, c);
  const headers = { 'content-type': 'application/problem+json', ...headersOf(known) };
  // Not from the context, whose headers the route meant for another answer.
  const body = JSON.stringify(describeProblem(known, requestId));
  return new Response(body, { status: statusOfError(known), headers });
}

function describeProblem(error: CarrelError, instance: string): Problem {
  return {
    type: `/problems/${error.code}`,
    title: errorCatalog[error.code].summary,
    status: statusOfError(error),
    detail: error.message,
    instance,
    code: error.code,
    kind: error.kind,
    hint: error.hint,
    details: error.details,
  };
}

/** Only the log has the message of an unknown error, because it may contain anything. */
function knownError(error: unknown, c: ApiContext): CarrelError {
  if (error instanceof CarrelError) return error;
  // Thrown by hono's validator for a body that cannot be parsed.
  if (error instanceof HTTPException && error.status === 400) return invalidBody('is not valid JSON', error);
  const { complete, destroyed } = c.env.incoming;
  if (destroyed && !complete) return invalidBody('is incomplete', error);
  const problem = `see request ${c.get('requestId')} in the log of the server`;
  return carrelError('INTERNAL', { problem }, error);
}

const invalidBody = (problem: string, cause: unknown): CarrelError =>
  carrelError('REQUEST_INVALID', { issues: [{ at: 'body', problem }] }, cause);

function headersOf({ code, details }: CarrelError): Record<string, string> {
  switch (code) {
    case 'UNAUTHENTICATED':
      return { 'www-authenticate': 'Bearer realm="carrel"' };
    case 'TOO_MANY_REQUESTS':
      return { 'retry-after': String(details.retryAfterSeconds) };
    case 'TOO_MANY_STREAMS':
      return { 'retry-after': '5' };
    case 'BODY_TOO_LARGE':
    case 'SERVER_STOPPING':
      return { connection: 'close' };
    default:
      return {};
  }
}
