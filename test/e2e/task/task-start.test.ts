import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Task } from '../../../src/domain/task/task.js';
import { createCarrel as openCarrel } from '../../../src/index.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, writeFiles } from '../../helpers/repository.js';
import { makeScriptedTasks, type ScriptedTasksOptions } from '../../helpers/task/scripted-tasks.js';
import { tempDir } from '../../helpers/temp.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// What the caller chooses of a task's workspace, and what is refused before a task exists.

const makeSite = (options: Partial<ScriptedTasksOptions> = {}) =>
  makeScriptedTasks({
    agents: { maker: 'echo made > made.txt' },
    stages: [{ name: 'only', agent: 'maker' }],
    ...options,
  });

thoroughTest('the log says where the workspace is', () => {
  const { carrel, repository, run } = makeSite();
  const { id, worktreePath } = run();
  expect(carrel.ok(repository, 'task', 'logs', id)).toContain(
    `Created worktree workspace at ${worktreePath}`,
  );
});

test('a task in a plain copy keeps what its agent made', () => {
  const { repository, run } = makeSite();
  const task = run('--strategy', 'directory');
  expect(task).toMatchObject({
    status: 'succeeded',
    branch: null,
    isolation: { requested: 'worktree', effective: 'worktree' },
    workspace: { strategy: 'directory' },
    workspaceKept: true,
  });
  expect(readFileSync(join(task.worktreePath as string, 'made.txt'), 'utf8')).toBe('made\n');
  expect(git(repository, 'status', '--porcelain')).toBe('');
});

thoroughTest('cleanupOnComplete: false keeps the workspace of a task that succeeded', () => {
  const { run } = makeSite({ config: { workspace: { cleanupOnComplete: false } } });
  const task = run();
  expect(task).toMatchObject({ status: 'succeeded', workspace: { cleanup: false }, workspaceKept: true });
  expect(readFileSync(join(task.worktreePath as string, 'made.txt'), 'utf8')).toBe('made\n');
  expect(makeSite().run()).toMatchObject({ workspace: { cleanup: true }, workspaceKept: false });
});

test('a strategy none works in the checkout, on the user’s word', () => {
  const { repository, run } = makeSite();
  expect(run('--strategy', 'none')).toMatchObject({
    worktreePath: repository,
    isolation: { effective: 'shared' },
    stages: [{ changed: true }],
  });
  expect(git(repository, 'status', '--porcelain')).toBe('?? made.txt');
});

thoroughTest('a strategy container is a sandbox', context => {
  requireBubblewrap(context);
  // An engine would be preferred; here the user names another sandbox.
  const { run } = makeSite({ config: { sandbox: { runtime: 'bubblewrap' } } });
  expect(run('--strategy', 'container')).toMatchObject({
    status: 'succeeded',
    isolation: { requested: 'full', effective: 'full' },
    workspace: { strategy: 'container' },
  });
});

thoroughTest('a task with full isolation uses the fastest sandbox, not a container', context => {
  requireBubblewrap(context);
  const { carrel, repository, run } = makeSite();
  const { workspaceName } = run('--isolation', 'full', '--strict', '--keep');
  expect(carrel.json(repository, 'show', workspaceName as string)).toMatchObject({ runtime: 'bubblewrap' });
});

test('a strategy that contradicts the mode is refused, and so is an unknown one', () => {
  const { carrel, repository } = makeSite();
  const refusal = carrel.error(repository, 'run', 'x', '--strategy', 'none', '--isolation', 'full');
  expect(refusal).toMatchObject({ code: 'INVALID_INPUT', status: 2 });
  expect(refusal.message).toContain('full together with the strategy none, which is shared');
  expect(carrel.run(repository, 'run', 'x', '--strategy', 'vm')).toMatchObject({ status: 2 });
  expect(carrel.json(repository, 'task', 'ls')).toEqual([]);
});

test('a program chooses the workspace of a task, and has a failed one retried', async () => {
  const site = makeSite({
    agents: { maker: 'echo again >> "$TALLY"; test $(wc -l < "$TALLY") = 2 && echo made > made.txt' },
  });
  await using carrel = await openCarrel({ repository: site.repository, environment: site.carrel.env });
  const workspace = { strategy: 'worktree', cleanup: false } as const;
  const { id } = await carrel.createTask({ description: 'x', workspace });
  const task = await carrel.executeTask(id, { autoRetry: true });
  expect(task).toMatchObject({
    status: 'succeeded',
    workspaceKept: true,
    workspace: { strategy: 'worktree', cleanup: false, preserveOnFailure: true },
    runs: [{ outcome: 'failed' }, { outcome: 'succeeded' }],
  });
});

test('a task works on the branch that the user names', () => {
  const { carrel, repository, run } = makeSite();
  git(repository, 'branch', 'feat/x');
  const task = run('--branch', 'feat/x');
  expect(task).toMatchObject({ status: 'succeeded', branch: 'feat/x' });
  expect(git(repository, 'show', 'feat/x:made.txt')).toBe('made');
  expect(run('--branch', 'feat/new')).toMatchObject({ branch: 'feat/new' });
  expect(carrel.error(repository, 'run', 'x', '--branch', 'main')).toMatchObject({
    code: 'BRANCH_CHECKED_OUT',
    details: { path: repository },
  });
});

thoroughTest('a trigger chooses the workflow that lists it', () => {
  const { carrel, repository, run } = makeSite({ workflow: { trigger: ['manual', 'apex:work'] } });
  expect(run('--trigger', 'apex:work')).toMatchObject({ workflow: 'work', status: 'succeeded' });
  const unknown = carrel.error(repository, 'run', 'x', '--trigger', 'apex:wrok');
  expect(unknown).toMatchObject({ code: 'UNKNOWN_TRIGGER', hint: 'did you mean apex:work?' });
  const several = carrel.error(repository, 'run', 'x', '--trigger', 'manual');
  expect(several.message).toMatch(/in the workflows .*work/);
  expect(
    carrel.error(repository, 'run', 'x', '--trigger', 'apex:work', '--workflow', 'work').message,
  ).toContain('work together with the trigger apex:work');
});

test('an empty repository, an unknown base and a reached limit are refused before a task exists', () => {
  const { carrel, repository } = makeSite({ config: { workspace: { limits: { count: 1 } } } });
  const empty = tempDir();
  git(empty, 'init', '--quiet', '--initial-branch=main');
  expect(carrel.error(empty, 'run', 'x', '--workflow', 'quick', '--agent', 'maker')).toMatchObject({
    code: 'EMPTY_REPOSITORY',
    kind: 'user',
  });
  expect(carrel.error(repository, 'run', 'x', '--base', 'nowhere')).toMatchObject({ code: 'UNKNOWN_BASE' });
  carrel.ok(repository, 'up', 'one');
  expect(carrel.error(repository, 'run', 'x')).toMatchObject({ code: 'LIMIT_REACHED' });
  expect(carrel.json<Task[]>(repository, 'task', 'ls')).toEqual([]);
});

test('a repository’s workflow file cannot put a task into the checkout', () => {
  const { repository, run } = makeSite({ workflow: { isolation: 'shared' } });
  const before = git(repository, 'status', '--porcelain');
  writeFiles(repository, { '.carrel/config.yaml': 'workspace:\n  defaultStrategy: none\n' });
  const task = run();
  expect(task.isolation.effective).toBe('worktree');
  expect(task.warnings.join()).toContain('only you can allow');
  expect(git(repository, 'status', '--porcelain', '--', ':!.carrel')).toBe(before);
});

thoroughTest('worktrees list names the task of a workspace, and worktrees remove takes its id', () => {
  const { carrel, repository, run } = makeSite();
  carrel.ok(repository, 'up', 'own');
  const { id, workspaceName, worktreePath } = run('--keep');
  const listed = carrel.json<{ name: string; workflowId: string | null }[]>(repository, 'worktrees', 'list');
  expect(listed.map(({ name, workflowId }) => [name, workflowId])).toEqual([
    ['own', null],
    [workspaceName, id],
  ]);
  expect(carrel.ok(repository, 'worktrees', 'list')).toContain(id);
  // The branch has commits that are nowhere else, and stays; from any directory.
  const removed = carrel.json(tempDir(), 'worktrees', 'remove', id);
  expect(removed).toMatchObject({ deletedBranch: null, keptBranch: `carrel/${workspaceName}` });
  expect(existsSync(worktreePath as string)).toBe(false);
  carrel.ok(repository, 'worktrees', 'remove', 'own');
  expect(carrel.error(repository, 'worktrees', 'remove', id)).toMatchObject({ code: 'WORKSPACE_NOT_FOUND' });
});
