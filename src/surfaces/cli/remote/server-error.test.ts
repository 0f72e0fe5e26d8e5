import { expect, test } from 'vitest';
import type { CarrelError } from '../../../domain/error/error.js';
import { ProblemError, UnreachableError } from '../../client/problem-error.js';
import { explainServerError } from './server-error.js';

const explain = (error: unknown) =>
  explainServerError(error, { server: 'https://carrel.example', tokenSource: 'CARREL_TOKEN' }) as CarrelError;

/** The error of a failed fetch. */
const failed = (cause: Error) =>
  new UnreachableError('no answer', { cause: new TypeError('fetch failed', { cause }) });
const withCode = (code: string) => Object.assign(new Error('for people'), { code });

test.each([
  [withCode('ECONNREFUSED'), 'SERVER_UNREACHABLE'],
  [withCode('ENOTFOUND'), 'SERVER_UNREACHABLE'],
  [new AggregateError([withCode('ECONNREFUSED'), withCode('ENETUNREACH')]), 'SERVER_UNREACHABLE'],
  [withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'SERVER_CERTIFICATE'],
  [withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'SERVER_CERTIFICATE'],
  [withCode('CERT_HAS_EXPIRED'), 'SERVER_CERTIFICATE'],
  [withCode('ERR_TLS_CERT_ALTNAME_INVALID'), 'SERVER_CERTIFICATE'],
  [withCode('ERR_SSL_WRONG_VERSION_NUMBER'), 'NOT_A_CARREL_SERVER'],
  [withCode('HPE_INVALID_CONSTANT'), 'NOT_A_CARREL_SERVER'],
])('explains why the server cannot be reached: %o', (cause, code) => {
  expect(explain(failed(cause)).code).toBe(code);
});

test('passes an error of a server of another version on unchanged', () => {
  const problem = {
    ...{ type: '/errors/new', title: 'New', status: 418, detail: 'it went wrong' },
    ...{ code: 'OF_THE_FUTURE', kind: 'unheard-of', hint: 'update', details: { a: 1 } },
  };
  const error = explain(new ProblemError(problem));
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    code: 'OF_THE_FUTURE',
    kind: 'internal',
    message: 'it went wrong',
    hint: 'update',
    details: { a: 1 },
  });
});

test('passes other errors on unchanged', () => {
  const error = new RangeError('a bug');
  expect(explain(error)).toBe(error);
});
