import { expect, test } from 'vitest';
import { LONGEST_SILENCE_MS, type ProcessIdentity } from '../../domain/process-identity.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { identifyProcess } from '../../exec/process/identify-process.js';
import { moment, sampleTask } from '../../store/contract/sample-records.js';
import { findQueuePlace } from './queue.js';

const self = identifyProcess(process.pid) as ProcessIdentity;
const dead = { ...self, startedAt: 'another' };
const elsewhere = { ...self, realm: self.realm.replace(/ \S+/, ' another-namespace') };
const now = Date.parse(moment(100));

const other = (change: Partial<TaskRecord>): TaskRecord =>
  sampleTask({ id: 'task_1', owner: self, heartbeatAt: moment(99), ...change });
const own = sampleTask({ id: 'task_2', owner: self, heartbeatAt: moment(99) });
/** Whether it is a task's turn with one other task and this many places. */
const isTurnBeside = (change: Partial<TaskRecord>, concurrency = 1): boolean =>
  findQueuePlace([other(change), own], own, { concurrency, now }).isTurn;

test('running and validating tasks use a place, ended ones do not', () => {
  for (const status of ['running', 'validating'] as const) {
    expect(isTurnBeside({ status, priority: -1 })).toBe(false);
    expect(isTurnBeside({ status, priority: 9 }, 2)).toBe(true);
  }
  expect(isTurnBeside({ status: 'interrupted' })).toBe(true);
});

test('the queue is ordered by priority, then age, then id, for any number of places', () => {
  expect(isTurnBeside({}, 5)).toBe(false);
  expect(isTurnBeside({ id: 'task_3' })).toBe(true);
  expect(isTurnBeside({ createdAt: moment(2) })).toBe(true);
  expect(isTurnBeside({ createdAt: moment(2), priority: 1 }, 5)).toBe(false);
  expect(isTurnBeside({ createdAt: moment(0), priority: -1 })).toBe(true);
});

test('a task of a dead process, or without an owner, does not count', () => {
  for (const owner of [dead, null]) {
    expect(isTurnBeside({ owner })).toBe(true);
    expect(isTurnBeside({ owner, status: 'running' })).toBe(true);
  }
});

test('a task whose process cannot be looked up counts by its heartbeat', () => {
  const running = { owner: elsewhere, status: 'running' } as const;
  expect(isTurnBeside({ ...running, heartbeatAt: moment(50) })).toBe(false);
  const heartbeatAt = new Date(now - LONGEST_SILENCE_MS - 1).toISOString();
  expect(isTurnBeside({ ...running, heartbeatAt })).toBe(true);
});

test('a task of a suspended process keeps its place when it runs, and blocks no others when it waits', () => {
  expect(isTurnBeside({ status: 'running', heartbeatAt: moment(10) })).toBe(false);
  expect(isTurnBeside({ heartbeatAt: moment(80) })).toBe(true);
});
