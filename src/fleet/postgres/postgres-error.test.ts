import { expect, test } from 'vitest';
import { translatePostgresError } from './postgres-error.js';

const codeOf = (error: object) => {
  const translated = translatePostgresError(Object.assign(new Error('it failed'), error), 'the fleet');
  return (translated as { code: string }).code;
};

test('a broken connection means that the database is away, also when its code looks like one of SQL', () => {
  expect(codeOf({ code: 'EPIPE', errno: -32, syscall: 'write' })).toBe('FLEET_UNAVAILABLE');
  expect(codeOf({ code: 'ECONNREFUSED', errno: -111, syscall: 'connect' })).toBe('FLEET_UNAVAILABLE');
  expect(codeOf({ code: '57P01' })).toBe('FLEET_UNAVAILABLE');
  expect(codeOf({})).toBe('FLEET_UNAVAILABLE');
});

test('a mistake in SQL is reported as one', () => {
  expect(codeOf({ code: '42601' })).toBe('INTERNAL');
  expect(codeOf({ code: '42P01' })).toBe('FLEET_NOT_INITIALIZED');
});
