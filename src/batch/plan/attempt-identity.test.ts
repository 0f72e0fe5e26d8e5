import { expect, test } from 'vitest';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { createOracle } from '../agents/oracle.js';
import { identifyAttempt, identifyCheck, identifyGrading, identifyRegraded } from './attempt-identity.js';

const item: EvalItem = {
  id: 'a',
  description: 'do it',
  base: { kind: 'files', files: { 'a.txt': 'a', 'b.txt': 'b' } },
  graders: [{ kind: 'command', run: 'true' }],
};
const request = { item, fingerprint: 'agent', isolation: 'worktree', attempt: 1, timeoutMs: null } as const;

test('labels and key order do not change the identity', () => {
  const relabelled: EvalItem = { ...item, tags: ['x'], difficulty: 'hard' };
  const reordered: EvalItem = { ...item, base: { kind: 'files', files: { 'b.txt': 'b', 'a.txt': 'a' } } };
  for (const other of [relabelled, reordered])
    expect(identifyAttempt({ ...request, item: other })).toBe(identifyAttempt(request));
});

test('everything the result depends on changes the identity', () => {
  const others = [
    { ...request, attempt: 2 },
    { ...request, fingerprint: 'another' },
    { ...request, isolation: 'full' as const },
    { ...request, timeoutMs: 1000 },
    { ...request, item: { ...item, description: 'do it well' } },
    { ...request, item: { ...item, hidden: { 't.txt': '' } } },
    { ...request, item: { ...item, graders: [{ kind: 'command', run: 'false' } as const] } },
  ];
  const all = [request, ...others].map(identifyAttempt);
  expect(new Set(all).size).toBe(all.length);
});

test('the solution counts only for oracle and for the check', () => {
  const solved: EvalItem = { ...item, solution: { kind: 'script', run: 'true' } };
  expect(identifyAttempt({ ...request, item: solved })).toBe(identifyAttempt(request));
  const oracle = { ...request, fingerprint: createOracle({ now: Date.now }).fingerprint };
  expect(identifyAttempt({ ...oracle, item: solved })).not.toBe(identifyAttempt(oracle));
  expect(identifyCheck(solved)).not.toBe(identifyCheck(item));
});

test('the grading identity depends on the graders, not on the description', () => {
  expect(identifyGrading({ ...item, description: 'other' })).toBe(identifyGrading(item));
  expect(identifyGrading({ ...item, hidden: { 't.txt': '' } })).not.toBe(identifyGrading(item));
});

test('regraded work has the identity of work graded by the new graders from the start', () => {
  const regraded: EvalItem = { ...item, graders: [{ kind: 'command', run: 'false' }] };
  expect(identifyRegraded(identifyAttempt(request), regraded)).toBe(
    identifyAttempt({ ...request, item: regraded }),
  );
});
