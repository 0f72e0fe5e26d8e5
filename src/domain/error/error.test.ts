import { expect, test } from 'vitest';
import { createRisk } from '../workspace/risk.js';
import { CarrelError, carrelError, errnoOf, ignoreMissing, isCarrelError } from './error.js';
import { type ErrorCode, errorCatalog } from './error-catalog.js';

const list = ['one', 'two'];
const samples: Readonly<Record<string, unknown>> = {
  limits: ['memory'],
  problems: ['a path is too long'],
  issues: [{ at: 'body.name', problem: 'expected a string' }],
  ...{
    known: list,
    matches: list,
    files: list,
    options: list,
    commands: list,
    expected: list,
    variables: list,
    missing: list,
  },
  ...{
    line: 3,
    column: 5,
    limitMs: 100,
    waitedMs: 100,
    bytes: 2048,
    limitBytes: 1024,
    usedBytes: 4096,
    quotaBytes: 8192,
    limit: 1024,
    exitCode: 1,
    from: 20_000,
    to: 29_999,
  },
  risks: [
    createRisk('changes', 'it has changes', ['a.txt']),
    createRisk('locked', 'it is locked', [], 'unlock it'),
  ],
  timedOut: false,
  rate: 0.25,
};

/** Details with a value for every name: the sample, or the name itself. */
const filled = new Proxy({}, { get: (_, name) => samples[String(name)] ?? `<${String(name)}>` });
/** The same without the values that may be missing or null. */
const sparse = new Proxy(
  {},
  {
    get: (_, name) =>
      ['nearest', 'schema'].includes(String(name))
        ? undefined
        : name === 'exitCode'
          ? null
          : Reflect.get(filled, name),
  },
);

const codes = Object.keys(errorCatalog) as ErrorCode[];

test.each(codes)('%s has a readable message, hint and summary', code => {
  for (const details of [filled, sparse]) {
    const error = new CarrelError(code, details as Readonly<Record<string, unknown>>);
    for (const text of [error.message, error.hint]) {
      expect(text).not.toMatch(/undefined|null|NaN|\[object|function/);
      expect(text.trim()).not.toBe('');
    }
  }
  const { summary, kind } = errorCatalog[code];
  expect(summary).toMatch(/^(`|git |[A-Z]).*\.$/s);
  expect(kind).toMatch(/^(user|config|conflict|environment|not-found|failed|internal)$/);
});

test('codes are stable words in upper case', () => {
  expect(codes.filter(code => !/^[A-Z]+(_[A-Z]+)*$/.test(code))).toEqual([]);
});

test('an error carries code, kind, message, hint, details and cause, and all but the last go to JSON', () => {
  const cause = new Error('below');
  const error = carrelError('INVALID_DURATION', { value: 'soon' }, cause);
  expect(error).toBeInstanceOf(Error);
  expect(error.cause).toBe(cause);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    code: 'INVALID_DURATION',
    kind: 'user',
    message: '"soon" is not a duration; expected a number and a unit such as 90s, 15m, 12h or 7d',
    hint: 'write it like 90s, 15m, 12h or 7d',
    details: { value: 'soon' },
  });
});

test('errors are distinguished by code', () => {
  const error = carrelError('INVALID_SIZE', { value: 'x' });
  expect(isCarrelError(error)).toBe(true);
  expect(isCarrelError(error, 'INVALID_SIZE')).toBe(true);
  expect(isCarrelError(error, 'INVALID_DURATION')).toBe(false);
  expect(isCarrelError(new Error('INVALID_SIZE'))).toBe(false);
});

test('the errno is found where there is one', () => {
  expect(errnoOf(Object.assign(new Error(), { code: 'ENOENT' }))).toBe('ENOENT');
  expect(errnoOf(new Error())).toBeUndefined();
  expect(errnoOf(undefined)).toBeUndefined();
  expect(errnoOf({ code: 5 })).toBeUndefined();
});

test('ignores a missing path and throws every other error', () => {
  const failed = (code: string) => Object.assign(new Error(code), { code });
  expect(ignoreMissing(failed('ENOENT'))).toBeUndefined();
  expect(ignoreMissing(failed('ENOTDIR'))).toBeUndefined();
  expect(() => ignoreMissing(failed('EACCES'))).toThrow('EACCES');
  expect(() => ignoreMissing(new TypeError('a mistake'))).toThrow('a mistake');
});

test('an error of another copy of Carrel is a CarrelError, and no other error is', () => {
  const other = Object.assign(new Error('no space'), { name: 'CarrelError', code: 'DISK_FULL' });
  expect(other).toBeInstanceOf(CarrelError);
  expect(isCarrelError(other, 'DISK_FULL')).toBe(true);
  expect(new Error('no space')).not.toBeInstanceOf(CarrelError);
  expect(Object.assign(new Error('no space'), { code: 'ENOSPC' })).not.toBeInstanceOf(CarrelError);
  expect({ name: 'CarrelError', code: 'DISK_FULL' }).not.toBeInstanceOf(CarrelError);
});
