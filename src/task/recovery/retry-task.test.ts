import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { commitFiles, git, writeFiles } from '../../../test/helpers/repository.js';
import { makeTaskSite } from '../../../test/helpers/task/task-site.js';
import { makeWorkSite, PLAN } from '../../../test/helpers/task/work-site.js';
import type { Stage, TaskRecord } from '../../domain/task/task.js';
import { sampleTask } from '../../store/contract/sample-records.js';
import type { Taker } from '../record/task-owner.js';
import { retryTask } from './retry-task.js';

const [stage] = sampleTask().stages as [Stage];
const failure = { kind: 'timed-out', stage: 'two', message: 'a', hint: 'b', output: null } as const;
const at = new Date(0).toISOString();

const succeeded: Stage = { ...stage, name: 'one', status: 'succeeded' };

const failed: Partial<TaskRecord> = {
  status: 'failed',
  failure,
  endedAt: at,
  cancelRequestedAt: at,
  stages: [succeeded, { ...stage, name: 'two', status: 'failed', failure, attempts: 3 }],
};

test('successful stages stay, the rest runs again', async () => {
  const { app, insert, find } = await makeTaskSite();
  const { id } = await insert(failed);
  const waiting = await retryTask(app, { id });
  expect(waiting).toMatchObject({
    status: 'waiting',
    endedAt: null,
    stages: [succeeded, { status: 'pending', attempts: 3 }],
  });
  expect(waiting).not.toHaveProperty('failure');
  expect(await find(id)).toMatchObject({ owner: null, cancelRequestedAt: null });
  const events = await app.store.events.list({ taskId: id, limit: 10 });
  expect(events).toMatchObject([{ type: 'task.retried', data: { from: 'failed' } }]);
  await expect(retryTask(app, { id })).rejects.toMatchObject({
    code: 'TASK_BUSY',
    message: `the task ${id} is waiting; it can't be retried`,
  });
});

test('a running or successful task is not retried; one whose process died is', async () => {
  const { app, insert } = await makeTaskSite();
  const ours = await insert({ status: 'running', owner: app.self });
  const done = await insert({ status: 'succeeded', workspaceId: 'ws_gone' });
  for (const { id } of [ours, done])
    await expect(retryTask(app, { id })).rejects.toMatchObject({ code: 'TASK_BUSY' });
  const { id } = await insert({ status: 'running', owner: { ...app.self, startedAt: 'another' } });
  expect(await retryTask(app, { id })).toMatchObject({ status: 'waiting' });
});

test('a task whose workspace was removed continues in a new one, from its branch', async () => {
  const { app, repository, insert, find } = await makeTaskSite();
  const head = git(repository, 'rev-parse', 'HEAD');
  git(repository, 'branch', 'carrel/desk');
  const gone = {
    ...failed,
    workspaceId: 'ws_gone',
    workspaceName: 'desk',
    worktreePath: '/gone',
    head,
  } as const;
  const retry = async (change: Parameters<typeof insert>[0]) => {
    const { id } = await insert({ ...gone, ...change });
    await retryTask(app, { id });
    const waiting = await find(id);
    // A waiting task reserves the name of its workspace.
    await app.store.tasks.remove(id);
    return waiting;
  };
  const fresh = {
    workspaceId: null,
    worktreePath: expect.stringMatching(/desk-r2$/),
    workspaceKept: false,
    workspaceName: 'desk-r2',
  };
  expect(await retry({ branch: 'carrel/desk' })).toMatchObject({
    ...fresh,
    plan: { baseRef: 'carrel/desk' },
  });
  expect(await retry({ branch: 'carrel/none' })).toMatchObject({ ...fresh, plan: { baseRef: head } });
  const begun = { stages: [stage], head: null, workspaceName: 'desk-r2' };
  expect(await retry(begun)).toMatchObject({
    workspaceName: 'desk-r3',
    worktreePath: expect.stringMatching(/desk-r3$/),
    plan: { baseRef: null },
  });
});

test('a retry is refused when neither the workspace nor the work exists', async () => {
  const { app, insert, find } = await makeTaskSite();
  const head = 'c'.repeat(40);
  const { id } = await insert({ ...failed, workspaceId: 'ws_gone', branch: 'carrel/none', head });
  await expect(retryTask(app, { id })).rejects.toMatchObject({
    code: 'TASK_BUSY',
    message: `the task ${id} is failed, and neither its workspace nor its branch carrel/none exists; it can't be resumed`,
  });
  expect((await find(id)).status).toBe('failed');
});

thoroughTest(
  'a task whose agent deleted its workspace continues in a new one, from its commits',
  async () => {
    const site = await makeWorkSite();
    const record = await site.up('a');
    const commit = commitFiles(record.path, { 'two.txt': 'two\n' });
    rmSync(record.path, { recursive: true });
    const beside = await site.up('a-two');
    rmSync(beside.path, { recursive: true });
    const { id } = await site.task(record, {
      status: 'failed',
      stages: [{ ...stage, status: 'failed', failure, workspaceName: 'a-two' }],
    });
    await retryTask(site.app, { id });
    expect(await site.app.store.tasks.find(id)).toMatchObject({
      workspaceId: null,
      workspaceName: 'a-r2',
      plan: { baseRef: 'carrel/a' },
      stages: [{ workspaceName: 'a-two-r2' }],
    });
    expect(await site.app.store.workspaces.list()).toEqual([]);
    expect(git(site.repository, 'rev-parse', 'carrel/a')).toBe(commit);
  },
);

test('limits can be raised up to the current configuration; a stage that timed out gets all of the time', async () => {
  const { app, home, insert, find, narrated } = await makeTaskSite();
  const plan = {
    ...PLAN,
    limits: { tokens: 100, costUsd: 1 },
    workflow: { ...PLAN.workflow, stages: [{ name: 'two', agent: 'a', timeout: '1m' }] },
  };
  writeFiles(home, { 'config/carrel/config.yaml': 'tasks: {limits: {costUsd: 5}}\n' });
  const retry = async (input: Partial<Parameters<typeof retryTask>[1]>) => {
    const { id } = await insert({ ...failed, plan });
    await retryTask(app, { id, ...input });
    return (await find(id)).plan;
  };
  expect(await retry({})).toEqual(plan);
  expect(await retry({ limits: { tokens: 200 }, timeoutMs: 90_000 })).toMatchObject({
    limits: { tokens: 200, costUsd: 1 },
    timeoutMs: 90_000,
    workflow: { stages: [{ timeout: '90000ms' }] },
  });
  expect(await retry({ limits: { costUsd: 7 } })).toMatchObject({ limits: { tokens: 100, costUsd: 5 } });
  expect(narrated).toEqual(['warning: tasks.limits.costUsd in your configuration applies: 5']);
});

test('a retried task waits for any process, or for the one that will take it', async () => {
  const { app, insert, find } = await makeTaskSite();
  const promised = async (taker: Taker) => {
    const { id } = await insert(failed);
    await retryTask(app, { id, taker });
    const { owner, heartbeatAt } = await find(id);
    return { isOurs: owner !== null, isAwaited: heartbeatAt !== null };
  };
  expect(await promised(undefined)).toEqual({ isOurs: false, isAwaited: false });
  expect(await promised('this-process')).toEqual({ isOurs: true, isAwaited: false });
  expect(await promised('another-process')).toEqual({ isOurs: false, isAwaited: true });
});
