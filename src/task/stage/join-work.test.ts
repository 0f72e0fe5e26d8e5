import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { commitFiles, git, writeFiles } from '../../../test/helpers/repository.js';
import { makeWorkSite, type WorkSite } from '../../../test/helpers/task/work-site.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import { execInWorkspace } from '../../operations/command/exec.js';
import { canRunInParallel, joinWork } from './join-work.js';

const REQUEST = { message: 'review: add a dark mode' };

const subjects = ({ repository }: WorkSite): string =>
  git(repository, 'log', '--topo-order', '--format=%s', 'main..carrel/task');

test('stages are joined in sequence: by fast-forward where possible, otherwise by a merge', async () => {
  const site = await makeWorkSite();
  const [task, one, two, idle] = [
    await site.up('task'),
    await site.up('one'),
    await site.up('two'),
    await site.up('idle'),
  ];
  const first = commitFiles(one.path, { 'one.txt': 'changed\n' }, 'one');
  commitFiles(two.path, { 'two.txt': 'two\n' }, 'two');
  expect(await joinWork(site.app, task, one, REQUEST)).toEqual({
    kind: 'joined',
    commit: first,
    commits: {},
    warnings: [],
  });
  const merged = await joinWork(site.app, task, two, REQUEST);
  const commit = git(task.path, 'rev-parse', 'HEAD');
  expect(merged).toEqual({ kind: 'joined', commit, commits: {}, warnings: [] });
  expect(await joinWork(site.app, task, idle, REQUEST)).toEqual(merged);
  expect(subjects(site)).toBe('review: add a dark mode\ntwo\none');
  expect(git(task.path, 'status', '--porcelain')).toBe('');
  expect(readFileSync(join(task.path, 'two.txt'), 'utf8')).toBe('two\n');
  expect((await site.app.store.workspaces.list()).map(({ name }) => name)).toEqual(['task']);
  expect(git(site.repository, 'branch', '--list', 'carrel/*', '--format=%(refname:short)')).toBe(
    'carrel/task',
  );
});

test('a conflict names the files and changes nothing, and neither does a task with uncommitted changes', async () => {
  const site = await makeWorkSite();
  const [task, one] = [await site.up('task'), await site.up('one')];
  const before = commitFiles(task.path, { 'one.txt': 'ours\n' });
  commitFiles(one.path, { 'one.txt': 'theirs\n', 'new.txt': 'new\n' });
  expect(await joinWork(site.app, task, one, REQUEST)).toEqual({ kind: 'conflict', files: ['one.txt'] });
  git(one.path, 'reset', '--quiet', '--hard', 'main');
  commitFiles(one.path, { 'new.txt': 'new\n' });
  writeFiles(task.path, { 'one.txt': 'not committed\n' });
  expect(await joinWork(site.app, task, one, REQUEST)).toMatchObject({
    ...{ kind: 'failed', failure: { kind: 'merge-conflict', message: expect.stringContaining('one.txt') } },
  });
  expect(git(task.path, 'rev-parse', 'HEAD')).toBe(before);
  expect([existsSync(one.path), existsSync(join(task.path, 'new.txt'))]).toEqual([true, false]);
});

thoroughTest('in sandboxes the files inside follow, and conflicts change nothing', async context => {
  requireBubblewrap(context);
  const site = await makeWorkSite();
  const full = { isolation: 'full', strict: true } as const;
  const task = await site.up('task', full);
  const stages = [
    await site.up('one', full),
    await site.up('two', full),
    await site.up('three', full),
  ] as const;
  const inside = async (name: string, script: string) => {
    const input = { repository: site.repository, name, command: ['sh', '-ec', script] } as const;
    const { exitCode, stdout } = await execInWorkspace(site.app, { ...input, output: 'capture' });
    expect(exitCode).toBe(0);
    return stdout.trim();
  };
  await inside('one', 'echo changed >one.txt && git commit -qam one');
  await inside('two', 'echo two >two.txt && git add . && git commit -qm two');
  await inside('three', 'echo otherwise >one.txt && git commit -qam three');
  for (const stage of stages.slice(0, 2))
    expect(await joinWork(site.app, task, stage, REQUEST)).toMatchObject({ kind: 'joined', warnings: [] });
  expect(subjects(site)).toBe('review: add a dark mode\ntwo\none');
  const look = 'cat one.txt two.txt; git status --porcelain; git log -1 --format=%H';
  const stand = `changed\ntwo\n${git(site.repository, 'rev-parse', 'carrel/task')}`;
  expect(await inside('task', look)).toBe(stand);
  expect(await joinWork(site.app, task, stages[2], REQUEST)).toEqual({
    kind: 'conflict',
    files: ['one.txt'],
  });
  expect(await inside('task', look)).toBe(stand);
  expect((await site.app.store.workspaces.list()).map(({ name }) => name)).toEqual(['task', 'three']);
});

test('only workspaces with their own branch and files allow parallel stages', async () => {
  const site = await makeWorkSite();
  expect(canRunInParallel(await site.up('own'))).toBe(true);
  expect(canRunInParallel(await site.up('shared', { isolation: 'shared' }))).toBe(false);
});
