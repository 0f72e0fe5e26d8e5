import { expect, test } from 'vitest';
import type { Attempt, Outcome } from '../../domain/batch/attempt.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { listJobs } from './resume-plan.js';

const items = ['a', 'b'].map(id => ({ id }) as EvalItem);
const identify = (item: EvalItem, attempt: number) => `${item.id}${attempt}`;
const done = (taskId: string, attempt: number, outcome: Outcome, identity = `${taskId}${attempt}`): Attempt =>
  ({ taskId, attempt, outcome, identity }) as unknown as Attempt;

const left = (attempts: readonly Attempt[]) =>
  listJobs(items, 2, identify, attempts).map(job => `${job.item.id}${job.attempt}`);

test('a new run has every attempt once, first attempts first', () => {
  expect(left([])).toEqual(['a1', 'b1', 'a2', 'b2']);
});

test('valid results are not repeated, even failed ones', () => {
  expect(left([done('a', 1, 'passed'), done('b', 2, 'agent-timeout')])).toEqual(['b1', 'a2']);
});

test('attempts without a grade, and changed tasks, run again', () => {
  const attempts = [
    done('a', 1, 'infrastructure'),
    done('b', 1, 'cancelled'),
    done('a', 2, 'passed', 'older'),
  ];
  expect(left(attempts)).toEqual(['a1', 'b1', 'a2', 'b2']);
});
