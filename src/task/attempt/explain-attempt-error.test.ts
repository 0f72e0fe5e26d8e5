import { expect, test } from 'vitest';
import { carrelError } from '../../domain/error/error.js';
import { explainAttemptError } from './explain-attempt-error.js';

test('every error that stops a stage is its failure, except bugs in Carrel', () => {
  const told = (error: unknown) => explainAttemptError(error, undefined, 'one').failure;
  expect(told(carrelError('FILE_UNREADABLE', { path: '/x', problem: 'EACCES' }))).toMatchObject({
    ...{ kind: 'internal', stage: 'one', message: expect.stringContaining('/x') },
  });
  expect(told(carrelError('SANDBOX_REFUSED', { runtime: 'r', problem: 'p' })).kind).toBe('isolation');
  const ours = carrelError('INTERNAL', { problem: 'odd' });
  expect(() => told(ours)).toThrow(ours);
  expect(() => told(new TypeError('odd'))).toThrow(TypeError);
});
