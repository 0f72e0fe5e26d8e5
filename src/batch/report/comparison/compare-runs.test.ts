import { expect, test } from 'vitest';
import { sampleAttempt, sampleRun } from '../../../../test/helpers/batch/sample-run.js';
import type { Attempt, Outcome } from '../../../domain/batch/attempt.js';
import { ComparisonSchema } from '../../../domain/batch/comparison.js';
import type { Context } from '../../../operations/context.js';
import { compareNamedRuns, compareRuns } from './compare-runs.js';

test('two runs are compared task by task, with the first as the baseline', () => {
  const baseline = runOf('run_a', { same: 'passed', lost: 'passed', won: 'failed', hard: 'agent-timeout' });
  const other = runOf('run_b', { same: 'passed', lost: 'limit', won: 'passed', hard: 'failed' });
  const comparison = compareRuns([baseline, other]);
  expect(comparison.pairs).toEqual([
    {
      baseline: 'run_a',
      other: 'run_b',
      tasks: 4,
      both: 1,
      onlyBaseline: 1,
      onlyOther: 1,
      neither: 1,
      regressions: ['lost'],
      improvements: ['won'],
      pValue: 1,
      passRateDifference: 0,
      passRateDifferenceInterval: { low: expect.closeTo(-0.75, 1), high: expect.closeTo(0.75, 1) },
      medianCostDifferenceUsd: 0,
      medianAgentMsDifference: 0,
    },
  ]);
  expect(comparison.tasks.map(({ cells }) => cells.map(cell => cell?.outcome))).toEqual([
    ['passed', 'passed'],
    ['passed', 'limit'],
    ['failed', 'passed'],
    ['agent-timeout', 'failed'],
  ]);
  expect(comparison.warnings).toEqual([]);
  expect(ComparisonSchema.parse(comparison)).toEqual(comparison);
});

test('ungraded, missing and changed tasks are left out of the figures and reported', () => {
  const baseline = runOf('run_a', { same: 'passed', broken: 'passed', changed: 'passed', extra: 'passed' });
  const other = runOf('run_b', { same: 'passed', broken: 'grader-error', changed: 'failed' });
  const attempts = other.attempts.map(attempt =>
    attempt.taskId === 'changed' ? { ...attempt, itemHash: 'another' } : attempt,
  );
  const comparison = compareRuns([baseline, { ...other, attempts }]);
  expect(comparison.pairs[0]).toMatchObject({ tasks: 1, both: 1, regressions: [] });
  expect(comparison).toMatchObject({ notInAll: ['extra'], changed: ['changed'] });
  expect(comparison.warnings).toEqual([
    '1 task changed between the runs: not compared',
    '1 task not in every run',
    'run_b: 1 of 3 attempts could not be graded',
  ]);
});

test('several attempts of a task are one task: solved by more than half, with their mean in the difference', () => {
  const attempts = (outcomes: readonly Outcome[]) =>
    outcomes.map((outcome, index) => sampleAttempt({ taskId: 'one', attempt: index + 1, outcome }));
  const half = sampleRun({ id: 'run_a', attempts: attempts(['passed', 'failed']) });
  const most = sampleRun({
    id: 'run_b',
    attempts: attempts(['passed', 'failed', 'passed', 'infrastructure']),
  });
  const { pairs, tasks, runs } = compareRuns([half, most]);
  expect(tasks[0]?.cells).toMatchObject([
    { outcome: 'failed', solved: false, passed: 1, judged: 2, score: 0.5 },
    { outcome: 'passed', solved: true, passed: 2, judged: 3 },
  ]);
  expect(pairs[0]).toMatchObject({ tasks: 1, improvements: ['one'], pValue: 1 });
  expect(pairs[0]?.passRateDifference).toBeCloseTo(2 / 3 - 1 / 2, 12);
  // One task says very little, regardless of the number of attempts.
  expect(runs[1]?.passRateInterval?.low).toBeLessThan(0.2);
});

test('settings that differ are listed with the value of each run', () => {
  const { differences, warnings } = compareRuns([
    runOf('run_a', { same: 'passed' }),
    { ...runOf('run_b', { same: 'passed' }), agent: 'codex', timeoutMs: null, status: 'stopped' },
    runOf('run_c', { same: 'passed' }),
  ]);
  expect(differences).toEqual([
    { setting: 'agent', values: ['claude', 'codex', 'claude'] },
    { setting: 'timeoutMs', values: ['600000', null, '600000'] },
  ]);
  expect(warnings).toEqual([
    '2 comparisons at once: p-values are not corrected for this; divide your threshold by 2',
    'run_b is stopped: attempts are missing',
  ]);
});

test('cost and time differences are medians over tasks where both runs report them', () => {
  const withCosts = (id: string, costs: readonly (number | null)[], agentMs: number) =>
    sampleRun({
      id,
      attempts: costs.map((costUsd, index) => ({
        ...sampleAttempt({ taskId: `task-${index}`, costUsd }),
        timings: { ...sampleAttempt().timings, agentMs: agentMs * (index + 1) },
      })),
    });
  const { pairs } = compareRuns([
    withCosts('run_a', [1, 1, 1, null], 1000),
    withCosts('run_b', [2, 4, 9, 100], 3000),
  ]);
  expect(pairs[0]).toMatchObject({ medianCostDifferenceUsd: 3, medianAgentMsDifference: 5000 });
});

function runOf(id: string, outcomes: Readonly<Record<string, Outcome>>) {
  const attempts: readonly Attempt[] = Object.entries(outcomes).map(([taskId, outcome]) =>
    sampleAttempt({ taskId, outcome }),
  );
  return sampleRun({ id, attempts: [...attempts] });
}

test('fewer than two runs are refused with their number', async () => {
  const context = { cwd: '/', places: {} as Context['places'] };
  await expect(compareNamedRuns(context, ['one'])).rejects.toThrowError(
    'the number of runs to compare is 1; expected at least 2, such as: carrel eval compare RUN latest',
  );
});
