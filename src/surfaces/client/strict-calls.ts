import { findUnknownFields } from '../../domain/api/unknown-fields.js';
import type { CarrelClient } from './carrel-client.js';
import { derivedArguments } from './derive-calls.js';
import { derivedRoutes } from './derived-routes.js';
import { ProblemError } from './problem-error.js';

/**
 * Wraps the client so that an argument with an unknown field is a ProblemError with the code REQUEST_INVALID, as from
 * the server, which checks request bodies itself. Otherwise a mistyped `repository` would be left out of the request, and
 * the server would use its own.
 */
export function refuseUnknownOptions(client: CarrelClient): CarrelClient {
  const wrap = (calls: object, path: string): object =>
    Object.fromEntries(
      Object.entries(calls).map(([name, call]) => {
        const at = path === '' ? name : `${path}.${name}`;
        return [name, typeof call === 'function' ? strict(at, call) : wrap(call, at)];
      }),
    );
  return wrap(client, '') as CarrelClient;
}

const CALL = ['signal'];
const MAKING = ['idempotencyKey', ...CALL];
const RISKS = ['discardChanges', 'snapshotChanges', 'discardCommits', 'stopProcesses', 'breakLease'];

/** The allowed fields of the arguments of each function. Null: an id, or a body. */
const ARGUMENTS: Readonly<Record<string, readonly (readonly string[] | null)[]>> = {
  health: [CALL],
  overview: [CALL],
  endSession: [CALL],
  events: [['taskId', 'after', ...CALL]],
  'developer.submit': [null, ['waitSeconds', ...MAKING]],
  'developer.list': [CALL],
  'developer.show': [null, CALL],
  'developer.worktrees': [CALL],
  'developer.removeWorktree': [null, RISKS, CALL],
  'batches.reportLink': [null, CALL],
  ...derivedArguments(derivedRoutes),
};

type Call = (...given: unknown[]) => unknown;

/** A function that returns a promise rejects; a stream, which is read later, throws at once. */
function strict(at: string, call: Call): Call {
  const expected = ARGUMENTS[at];
  if (expected === undefined) throw new Error(`${at} has no entry for its arguments`);
  return (...given) => {
    const issues = expected.flatMap((names, position) => {
      const argument = given[position];
      if (names === null || typeof argument !== 'object' || argument === null) return [];
      return findUnknownFields(at, argument, Object.fromEntries(names.map(name => [name, true])));
    });
    if (issues.length === 0) return call(...given);
    const refusal = refuse(issues);
    if (STREAMS.includes(at)) throw refusal;
    return Promise.reject(refusal);
  };
}

const STREAMS: readonly string[] = [
  'events',
  ...derivedRoutes.filter(({ isStream }) => isStream).map(({ call }) => call),
];

const refuse = (issues: readonly { readonly at: string; readonly problem: string }[]): ProblemError =>
  new ProblemError({
    type: '/problems/REQUEST_INVALID',
    title: 'A request does not match the schema of its route, tool or function.',
    status: 400,
    detail: issues.map(({ at, problem }) => `${at}: ${problem}`).join('; '),
    code: 'REQUEST_INVALID',
    kind: 'user',
    hint: 'fix the name of the field; nothing was sent',
    details: { issues },
  });
