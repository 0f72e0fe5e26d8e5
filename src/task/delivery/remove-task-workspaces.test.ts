import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { commitFiles, git, writeFiles } from '../../../test/helpers/repository.js';
import { makeWorkSite, PLAN, type WorkSite } from '../../../test/helpers/task/work-site.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import type { TaskStatus } from '../../domain/task/task.js';
import { collectGarbage } from '../../operations/cleanup/gc.js';
import { execInWorkspace } from '../../operations/command/exec.js';
import { restoreSnapshot } from '../../operations/snapshot/restore.js';
import { removeTaskWorkspaces } from './remove-task-workspaces.js';

const branches = ({ repository }: WorkSite): string =>
  git(repository, 'branch', '--list', 'carrel/*', '--format=%(refname:short)');

test('a success leaves the branch and a snapshot, not the workspace', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  const commit = commitFiles(record.path, { 'two.txt': 'two\n' });
  const task = await site.task(record);
  expect(await removeTaskWorkspaces(site.app, task)).toEqual({ kept: false, warnings: [] });
  expect(existsSync(record.path)).toBe(false);
  expect(git(site.repository, 'rev-parse', 'carrel/a')).toBe(commit);
  expect(await site.app.store.snapshots.list({ workspaceId: record.id })).toHaveLength(1);
  expect(await site.app.store.tasks.find(task.id)).toMatchObject({ workspaceKept: false });
  const events = await site.app.store.events.list({ taskId: task.id, limit: 10 });
  expect(events.map(({ type }) => type)).toEqual(['task.workspace-removed']);
  const { path, branch } = await restoreSnapshot(site.app, { repository: site.repository, snapshot: 'a' });
  expect([branch, git(path, 'rev-parse', 'HEAD')]).toEqual(['carrel/a-restored', commit]);
});

test('a success without a change leaves no branch', async () => {
  const site = await makeWorkSite();
  const task = await site.task(await site.up('a'));
  expect(await removeTaskWorkspaces(site.app, task)).toMatchObject({ kept: false });
  expect(branches(site)).toBe('');
});

thoroughTest('a success in a sandbox leaves the branch with what was committed inside', async context => {
  requireBubblewrap(context);
  const site = await makeWorkSite();
  const record = await site.up('a', { isolation: 'full', strict: true });
  const command = ['sh', '-ec', 'echo two >two.txt && git add . && git commit -qm two'];
  await execInWorkspace(site.app, { repository: site.repository, name: 'a', command, output: 'capture' });
  expect(await removeTaskWorkspaces(site.app, await site.task(record))).toEqual({
    kept: false,
    warnings: [],
  });
  expect(git(site.repository, 'show', 'carrel/a:two.txt')).toBe('two');
});

thoroughTest(
  'uncommitted changes after a success, and commits that are not on the branch, keep the workspace',
  async () => {
    const site = await makeWorkSite();
    const record = await site.up('a');
    const task = await site.task(record);
    writeFiles(record.path, { 'two.txt': 'two\n' });
    const untracked = await removeTaskWorkspaces(site.app, task);
    expect(untracked).toMatchObject({ kept: true, warnings: [expect.stringContaining('two.txt')] });
    git(record.path, 'checkout', '--quiet', '--detach');
    commitFiles(record.path, {}, 'on no branch');
    const detached = await removeTaskWorkspaces(site.app, task);
    expect(detached).toMatchObject({ kept: true, warnings: [expect.stringContaining('on no branch')] });
    expect(existsSync(join(record.path, 'two.txt'))).toBe(true);
  },
);

test('a failure keeps the workspace; without preserveOnFailure it is removed, and the snapshot has all of it', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  const commit = commitFiles(record.path, { 'two.txt': 'two\n' });
  writeFiles(record.path, { 'half.txt': 'half\n' });
  const task = await site.task(record, { status: 'failed' });
  expect(await removeTaskWorkspaces(site.app, task)).toEqual({ kept: true, warnings: [] });
  const careless = { ...task, plan: { ...PLAN, preserveOnFailure: false } };
  const setStatus = (from: TaskStatus, status: TaskStatus) =>
    site.app.store.tasks.update(task.id, { statuses: [from] }, { status }, []);
  await setStatus('failed', 'waiting');
  expect(await removeTaskWorkspaces(site.app, careless)).toEqual({ kept: true, warnings: [] });
  await setStatus('waiting', 'failed');
  expect(await removeTaskWorkspaces(site.app, careless)).toEqual({ kept: false, warnings: [] });
  const [snapshot] = await site.app.store.snapshots.list({ workspaceId: record.id });
  expect(git(site.repository, 'show', `${snapshot?.commit}:half.txt`)).toBe('half');
  expect(git(site.repository, 'rev-parse', 'carrel/a')).toBe(commit);
});

async function gc({ app, repository }: WorkSite, execute: boolean) {
  const { items } = await collectGarbage(app, { repository, execute, olderThanMs: 0 });
  const workspaces = items.filter(item => item.kind === 'workspace');
  return Object.fromEntries(workspaces.map(({ name, outcome }) => [name, outcome]));
}

thoroughTest(
  'gc removes workspaces of ended tasks whose work a snapshot has, and no others with work in them',
  async () => {
    const site = await makeWorkSite();
    const statuses: Record<string, TaskStatus> = {
      ended: 'failed',
      stopped: 'cancelled',
      busy: 'running',
      dead: 'interrupted',
    };
    for (const name of ['ended', 'stopped', 'busy', 'dead', 'mine']) {
      const record = await site.up(name);
      commitFiles(record.path, { [`${name}.txt`]: 'committed\n' });
      writeFiles(record.path, { 'half.txt': 'half\n' });
      const status = statuses[name];
      if (status) await site.task(record, { status });
    }
    const kept = { busy: 'kept', dead: 'kept', mine: 'kept' };
    expect(await gc(site, false)).toEqual({ ended: 'planned', stopped: 'planned', ...kept });
    expect(await gc(site, true)).toEqual({ ended: 'removed', stopped: 'removed', ...kept });
    expect(branches(site).split('\n')).toContain('carrel/ended');
    const [snapshot] = await site.app.store.snapshots.list({ workspaceName: 'ended' });
    expect(git(site.repository, 'show', `${snapshot?.commit}:half.txt`)).toBe('half');
  },
);
