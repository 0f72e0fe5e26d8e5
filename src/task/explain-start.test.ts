import { expect, test } from 'vitest';
import { carrelError } from '../domain/error.js';
import { explainStart } from './explain-start.js';

test('whatever keeps a stage from working is its failure, except for mistakes of ours', () => {
  const told = (error: unknown) => explainStart(error, undefined, 'one').failure;
  expect(told(carrelError('FILE_UNREADABLE', { path: '/x', problem: 'EACCES' }))).toMatchObject({
    ...{ kind: 'internal', stage: 'one', message: expect.stringContaining('/x') },
  });
  expect(told(carrelError('SANDBOX_REFUSED', { runtime: 'r', problem: 'p' })).kind).toBe('isolation');
  const ours = carrelError('INTERNAL', { problem: 'odd' });
  expect(() => told(ours)).toThrow(ours);
  expect(() => told(new TypeError('odd'))).toThrow(TypeError);
});
