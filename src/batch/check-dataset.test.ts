import { expect, test } from 'vitest';
import { sampleAttempt } from '../../test/helpers/batch/sample-run.js';
import type { Attempt, Outcome } from '../domain/batch/attempt.js';
import type { EvalSolution } from '../domain/batch/eval-item.js';
import { gradeItem } from './check-dataset.js';

const all = (...outcomes: Outcome[]): Attempt[] => outcomes.map(outcome => sampleAttempt({ outcome }));
const solution: EvalSolution = { kind: 'script', run: 'true' };

test.each<[string, Outcome[], Outcome[]]>([
  ['sound', ['passed', 'passed'], ['failed']],
  ['broken', ['failed', 'grader-error'], ['failed']],
  ['flaky', ['failed', 'passed'], ['failed']],
  ['too-easy', ['passed', 'infrastructure'], ['passed']],
  ['unable', ['passed', 'cancelled'], ['failed']],
  ['unable', ['infrastructure', 'infrastructure'], ['failed']],
  ['unable', ['passed', 'passed'], ['cancelled']],
  ['unable', [], []],
])('a task is %s when its solution gives %j and doing nothing %j', (verdict, oracle, nop) => {
  expect(gradeItem({ solution }, 2, all(...oracle), all(...nop))).toMatchObject({ verdict });
});

test('a task whose setup fails in the same way every time is broken, unless it is a program that is missing here', () => {
  const failing = (...statuses: (number | null)[]) =>
    statuses.map(setupExitCode => sampleAttempt({ outcome: 'infrastructure', setupExitCode }));
  const classify = ([last = 0, ...first]: (number | null)[]) =>
    gradeItem({ solution }, 2, failing(...first), failing(last)).verdict;
  expect(classify([3, 3, 3])).toBe('broken');
  expect(classify([3, 3, 4])).toBe('unable');
  expect(classify([3, 3, null])).toBe('unable');
  expect(classify([3, 3])).toBe('unable');
  expect(classify([127, 127, 127])).toBe('unable');
});

test('a task without a solution is checked with nop only', () => {
  expect(gradeItem({}, 2, all('agent-error', 'agent-error'), all('failed'))).toMatchObject({
    verdict: 'unsolved',
  });
});
