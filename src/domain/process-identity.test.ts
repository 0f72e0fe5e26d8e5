import { expect, test } from 'vitest';
import { isSameProcess } from './process-identity.js';

test('processes are the same only if pid, start and realm are equal', () => {
  const one = { pid: 7, startedAt: '100', realm: 'boot:1' };
  expect(isSameProcess(one, { ...one })).toBe(true);
  expect(isSameProcess(one, { ...one, pid: 8 })).toBe(false);
  expect(isSameProcess(one, { ...one, startedAt: '101' })).toBe(false);
  expect(isSameProcess(one, { ...one, realm: 'boot:2' })).toBe(false);
});
