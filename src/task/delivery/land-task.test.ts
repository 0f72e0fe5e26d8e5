import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { commitFiles, git, writeFiles } from '../../../test/helpers/repository.js';
import { makeWorkSite } from '../../../test/helpers/task/work-site.js';
import { removeRecord } from '../../operations/removal/down.js';
import { findTask } from '../record/find-task.js';
import { landTask } from './land-task.js';
import { removeTaskWorkspaces } from './remove-task-workspaces.js';

test('a task lands from its workspace, which is removed', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  const commit = commitFiles(record.path, { 'two.txt': 'two\n' });
  const { id } = await site.task(record);
  expect(await landTask(site.app, { id: id.slice(0, -2) })).toMatchObject({
    into: 'main',
    after: commit,
    commits: 1,
  });
  expect(readFileSync(join(site.repository, 'two.txt'), 'utf8')).toBe('two\n');
  expect(await site.app.store.tasks.find(id)).toMatchObject({ landed: { into: 'main', commit } });
  const events = await site.app.store.events.list({ taskId: id, limit: 10 });
  expect(events.map(({ type }) => type)).toEqual(['task.landed']);
  expect(existsSync(record.path)).toBe(false);
});

thoroughTest(
  'a task without a workspace lands from its branch, and a conflict leaves nothing behind',
  async () => {
    const site = await makeWorkSite();
    git(site.repository, 'branch', 'stable');
    const record = await site.up('a', { base: 'stable' });
    commitFiles(record.path, { 'two.txt': 'two\n' }, 'two');
    const task = await site.task(record);
    await removeTaskWorkspaces(site.app, task);
    commitFiles(site.repository, { 'two.txt': 'otherwise\n' });
    const landing = landTask(site.app, { id: task.id, into: 'main' });
    await expect(landing).rejects.toMatchObject({ code: 'LAND_CONFLICT' });
    expect(await site.app.store.workspaces.list()).toEqual([]);
    expect(await landTask(site.app, { id: task.id, strategy: 'squash' })).toMatchObject({ into: 'stable' });
    expect(git(site.repository, 'show', 'stable:two.txt')).toBe('two');
    expect(await site.app.store.workspaces.list()).toEqual([]);
    const branches = git(site.repository, 'branch', '--format=%(refname:short)').split('\n');
    expect(branches).toEqual(['carrel/a', 'main', 'stable']);
  },
);

test('distinguishes a task that has not ended from one with nothing to land', async () => {
  const site = await makeWorkSite();
  const workspace = await site.up('busy');
  const busy = await site.task(workspace, { status: 'running' });
  await expect(landTask(site.app, { id: busy.id })).rejects.toMatchObject({ code: 'TASK_BUSY' });
  const removal = removeRecord(site.app, workspace, { accepted: {}, reason: 'down' });
  await expect(removal).rejects.toMatchObject({ details: { risks: [{ kind: 'leased', items: [busy.id] }] } });
  const idle = await site.task(await site.up('idle'));
  await removeTaskWorkspaces(site.app, idle);
  await expect(landTask(site.app, { id: idle.id })).rejects.toMatchObject({ code: 'TASK_HAS_NO_WORK' });
  const shared = await site.task(await site.up('shared', { isolation: 'shared' }));
  await expect(landTask(site.app, { id: shared.id })).rejects.toMatchObject({ code: 'TASK_HAS_NO_WORK' });
});

thoroughTest('a landing is recorded even when its branch cannot be deleted', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  commitFiles(record.path, { 'two.txt': 'two\n' }, 'two');
  const { id } = await site.task(record);
  await removeTaskWorkspaces(site.app, await findTask(site.app, id));
  await site.app.store.tasks.update(
    id,
    { statuses: ['succeeded'] },
    { head: git(site.repository, 'rev-parse', 'carrel/a') },
    [],
  );
  writeFiles(site.repository, { '.git/refs/heads/carrel/a.lock': '' });
  const landed = await landTask(site.app, { id });
  expect(landed).toMatchObject({ into: 'main', warnings: [expect.stringContaining('carrel/a')] });
  expect(await findTask(site.app, id)).toMatchObject({ landed: { into: 'main' } });
});

thoroughTest('uncommitted files do not stop validated work from landing, and stay', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  const head = commitFiles(record.path, { 'two.txt': 'two\n' }, 'two');
  const { id } = await site.task(record, { head });
  writeFiles(record.path, { 'one.txt': 'changed\n', 'build/out.txt': 'built\n' });
  await expect(landTask(site.app, { id })).rejects.toMatchObject({ code: 'LAND_UNCOMMITTED' });
  git(record.path, 'checkout', '--quiet', 'one.txt');
  expect(await landTask(site.app, { id })).toMatchObject({
    after: head,
    warnings: [expect.stringMatching(/not landed and stay in .*: build\//)],
  });
  expect(git(site.repository, 'ls-tree', '--name-only', 'main')).toBe('.gitignore\none.txt\ntwo.txt');
  expect(readFileSync(join(record.path, 'build/out.txt'), 'utf8')).toBe('built\n');
  expect(git(record.path, 'branch', '--show-current')).toBe('carrel/a');
  expect((await site.app.store.workspaces.list()).map(({ name }) => name)).toEqual(['a']);
});
