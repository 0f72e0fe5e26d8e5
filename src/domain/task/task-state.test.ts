import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_USAGE } from '../agent/add-usage.js';
import type { Stage, StageStatus, TaskStatus } from './task.js';
import {
  canMoveStage,
  canMoveTask,
  canRetry,
  endRun,
  isActive,
  resetStages,
  stopStages,
} from './task-state.js';
import { STAGE_STATUSES, TASK_STATUSES } from './task-status.js';

const AT = '2026-01-01T00:00:00.000Z';

const stage = (name: string, status: StageStatus): Stage => ({
  name,
  agent: 'developer',
  status,
  startedAt: null,
  endedAt: null,
  attempts: 1,
  exitCode: null,
  outputs: [],
  usage: NO_USAGE,
  changed: null,
  commit: null,
  message: null,
  workspaceName: null,
  warnings: [],
});

test('a succeeded task never changes status', () => {
  for (const status of TASK_STATUSES) expect(canMoveTask('succeeded', status)).toBe(false);
});

test('a task that ended otherwise can only wait again', () => {
  for (const from of ['failed', 'cancelled'] as const)
    expect(TASK_STATUSES.filter(to => canMoveTask(from, to))).toEqual(['waiting']);
});

test('every active task can be interrupted by the death of its process', () => {
  for (const status of TASK_STATUSES.filter(isActive)) expect(canMoveTask(status, 'interrupted')).toBe(true);
});

test('a task that waits for an approval cannot be retried past it', () => {
  expect(TASK_STATUSES.filter(canRetry)).toEqual(['failed', 'cancelled', 'interrupted']);
  expect(TASK_STATUSES.filter(to => canMoveTask('waiting-for-approval', to))).toEqual([
    'waiting',
    'failed',
    'cancelled',
  ]);
});

test('a task reaches succeeded only through running and validating', () => {
  const walk = fc.array(fc.constantFrom<TaskStatus>(...TASK_STATUSES), { maxLength: 20 });
  fc.assert(
    fc.property(walk, wishes => {
      const seen: TaskStatus[] = ['waiting'];
      for (const wish of wishes) if (canMoveTask(seen.at(-1) as TaskStatus, wish)) seen.push(wish);
      const end = seen.indexOf('succeeded');
      if (end >= 0) expect(seen.slice(end - 2, end)).toEqual(['running', 'validating']);
    }),
  );
});

test('a retry keeps what succeeded and makes everything else pending', () => {
  const stages = STAGE_STATUSES.filter(status => status !== 'running').map(status => stage(status, status));
  expect(resetStages(stages).map(({ name, status }) => [name, status])).toEqual([
    ['pending', 'pending'],
    ['succeeded', 'succeeded'],
    ['failed', 'pending'],
    ['cancelled', 'pending'],
    ['interrupted', 'pending'],
  ]);
});

test('a retry passes the failure to the next attempt', () => {
  const failure = { kind: 'agent-failed', stage: 'a', message: 'no', hint: 'look', output: null } as const;
  const [again] = resetStages([{ ...stage('a', 'failed'), failure, commit: 'c1' }]);
  expect(again).toMatchObject({ status: 'pending', previousFailure: failure, commit: 'c1' });
  expect(again).not.toHaveProperty('failure');
});

test('a failed validation is passed to the last stage that changed something, which keeps its status', () => {
  const failure = { kind: 'validation-failed', stage: null, message: 'no', hint: '', output: null } as const;
  const done = [
    { ...stage('work', 'succeeded'), changed: true },
    { ...stage('look', 'succeeded'), changed: false },
  ];
  expect(resetStages(done, failure)).toEqual([{ ...done[0], previousFailure: failure }, done[1]]);
  expect(resetStages(done, { ...failure, kind: 'land-failed' })).toEqual(done);
});

test('stopping touches only the running stages', () => {
  const stopped = stopStages(
    [stage('a', 'succeeded'), stage('b', 'running'), stage('c', 'pending')],
    'interrupted',
    AT,
  );
  expect(stopped.map(({ status }) => status)).toEqual(['succeeded', 'interrupted', 'pending']);
  expect(stopped[1]?.endedAt).toBe(AT);
  for (const { status } of stopped)
    expect(status === 'pending' || !canMoveStage(status, 'running')).toBe(true);
});

test('ending a run touches only the current one', () => {
  const first = { startedAt: AT, endedAt: AT, outcome: 'failed' } as const;
  const second = { startedAt: AT, endedAt: null, outcome: 'running' } as const;
  expect(endRun([first, second], 'succeeded', AT)).toEqual([
    first,
    { ...second, endedAt: AT, outcome: 'succeeded' },
  ]);
});
