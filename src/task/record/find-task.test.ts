import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/helpers/repository.js';
import { makeTaskSite } from '../../../test/helpers/task/task-site.js';
import { up } from '../../operations/workspace/up.js';
import { findTask } from './find-task.js';
import { listTasks } from './list-tasks.js';
import { showTask } from './show-task.js';

test('a task is found by its id or a prefix of it', async () => {
  const { app, insert } = await makeTaskSite();
  const one = await insert({ id: 'task_0abcdefg11111111' });
  const two = await insert({ id: 'task_0abcdefh22222222' });
  for (const id of [one.id, 'task_0abcdefg', '0abcdefg1']) expect((await findTask(app, id)).id).toBe(one.id);
  await expect(findTask(app, '0abc')).rejects.toMatchObject({
    code: 'TASK_AMBIGUOUS',
    details: { matches: [one.id, two.id] },
  });
  for (const id of ['', 'task_', '0ab', 'task_9999', '0abcdefg11111111x', 'TASK_0abcdefg'])
    await expect(findTask(app, id), id).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
      details: { id, known: [two.id, one.id] },
    });
});

test('tasks are listed by repository and status, and their workspaces are checked', async () => {
  const { app, repository, insert } = await makeTaskSite();
  const workspace = await up(app, { repository, name: 'desk', isolation: 'worktree' });
  const here = await insert({ workspaceId: workspace.id });
  const gone = await insert({ workspaceId: 'ws_gone', workspaceKept: true, status: 'failed' });
  const elsewhere = await insert({ repository: makeRepository(), repositoryId: 'another' });
  const list = async (input: Partial<Parameters<typeof listTasks>[1]>) =>
    (await listTasks(app, { repository, ...input })).map(task => [task.id, task.workspaceKept]);
  expect(await list({})).toEqual([
    [here.id, true],
    [gone.id, false],
  ]);
  expect(await list({ statuses: ['failed'] })).toEqual([[gone.id, false]]);
  expect(await list({ all: true })).toHaveLength(3);
  expect(await list({ repository: elsewhere.repository })).toEqual([[elsewhere.id, false]]);
  expect(await showTask(app, { id: here.id })).toMatchObject({ workspaceKept: true });
  const shown = await showTask(app, { id: gone.id });
  expect(shown).toMatchObject({ workspaceKept: false, status: 'failed' });
  for (const inner of ['owner', 'plan', 'heartbeatAt', 'repositoryId', 'cancelRequestedAt'])
    expect(shown).not.toHaveProperty(inner);
});
