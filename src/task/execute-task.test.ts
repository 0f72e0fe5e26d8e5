import { expect, test } from 'vitest';
import { makeTaskSite } from '../../test/helpers/task/task-site.js';
import type { App } from '../app.js';
import { executeTask } from './execute-task.js';

const isolation = { requested: 'worktree', effective: null, reason: null } as const;

const breakingAt = (app: App, moment: string): App => ({
  ...app,
  onStep: (_, step) => {
    if (step === moment) throw new Error('a mistake');
  },
});

test('a bug in Carrel ends the task and its running stage', async () => {
  const { app, insert, find } = await makeTaskSite();
  const { id, stages } = await insert({ isolation });
  const failure = { kind: 'internal', message: expect.stringContaining('a mistake') };
  const name = stages[0]?.name;
  await executeTask(breakingAt(app, `stage-started.${name}`), { id });
  expect(await find(id)).toMatchObject({
    status: 'failed',
    failure,
    stages: [{ status: 'failed', failure }],
  });
  const events = await app.store.events.list({ taskId: id, limit: 50 });
  expect(events.slice(-2)).toMatchObject([
    { type: 'stage.failed', data: { stage: name, kind: 'internal' } },
    { type: 'task.failed' },
  ]);
});

test('when the end of a task cannot be recorded, this process does not stay its owner', async () => {
  const { app, insert, find } = await makeTaskSite();
  const { id } = await insert({ isolation });
  await expect(executeTask(breakingAt(app, 'started'), { id })).rejects.toThrow('a mistake');
  expect(await find(id)).toMatchObject({
    status: 'interrupted',
    owner: null,
    runs: [{ outcome: 'interrupted' }],
  });
});
