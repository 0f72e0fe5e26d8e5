import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Task } from '../../../src/domain/task/task.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { isRunning } from '../../helpers/machine/processes.js';
import { git } from '../../helpers/repository.js';
import { makeScriptedTasks, type ScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { needProgram } from '../../parts/required-part.js';

/** One stage with one agent; the repository as the user left it. */
function siteOf(script: string, stage: Readonly<Record<string, unknown>> = {}): ScriptedTasks {
  return makeScriptedTasks({
    agents: { hostile: script },
    stages: [{ name: 'only', agent: 'hostile', ...stage }],
    workflow: { isolation: 'worktree' },
  });
}

let site: ScriptedTasks | undefined;
let before: unknown;

function run(script: string, stage?: Readonly<Record<string, unknown>>, ...args: string[]): Task {
  site = siteOf(script, stage);
  before = fingerprint(site.repository);
  return site.run(...args);
}

beforeEach(() => {
  site = undefined;
});

/** The user's checkout is unchanged, regardless of what an agent does in its workspace. */
afterEach(() => {
  if (site) expect(fingerprint(site.repository)).toEqual(before);
});

const here = (): ScriptedTasks => site as ScriptedTasks;
const fileOf = (task: Task, path: string): string => git(here().repository, 'show', `${task.branch}:${path}`);

test('daemons that an agent leaves behind are killed and reported', () => {
  needProgram('setsid');
  const daemon = (prefix: string) => `${prefix} setsid sh -c "echo \\$\\$ >> $TALLY; exec sleep 1000" &`;
  const wait = 'until test "$(wc -l < "$TALLY")" = 2; do sleep 0.05; done';
  // One of them has left its parent, its session and its environment.
  const task = run(`touch "$TALLY"; ${daemon('')} (${daemon('env -i')}); ${wait}; echo done > new.txt`);
  expect(task.status).toBe('succeeded');
  expect(task.stages[0]?.warnings.join()).toMatch(/that the agent left running/);
  expect(here().tally().map(Number).map(isRunning)).toEqual([false, false]);
  expect(fileOf(task, 'new.txt')).toBe('done');
});

thoroughTest('an agent that ignores SIGTERM is killed at its time limit, with its children', () => {
  const task = run('trap "" TERM; echo $$ >> "$TALLY"; while :; do sleep 1; done', { timeout: '1s' });
  expect(task).toMatchObject({ status: 'failed', failure: { kind: 'timed-out', stage: 'only' } });
  expect(isRunning(Number(here().tally()[0]))).toBe(false);
});

thoroughTest('a flood of output keeps the log bounded and loses no work', () => {
  const task = run(
    'head -c 300000000 /dev/zero | tr "\\0" "a"; yes | head -c 100000000; echo kept > new.txt',
  );
  expect(task.status).toBe('succeeded');
  expect(fileOf(task, 'new.txt')).toBe('kept');
  const logs = here().carrel.run(here().repository, 'task', 'logs', task.id);
  expect(logs.status).toBe(0);
  expect(logs.stdout.length).toBeLessThan(80_000_000);
});

test('invalid UTF-8 and terminal control sequences reach neither the terminal nor the result', () => {
  const task = run("printf '\\377\\376 odd \\033[2J\\033]0;title\\007 words\\n'; echo x > new.txt");
  expect(task.status).toBe('succeeded');
  const { repository, carrel } = here();
  for (const args of [
    ['task', 'logs', task.id],
    ['task', 'show', task.id],
  ]) {
    const { stdout } = carrel.run(repository, ...args);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('\u0007');
  }
  expect(carrel.ok(repository, 'task', 'logs', task.id)).toContain('words');
});

thoroughTest('an agent that changes nothing has succeeded, and the result says that nothing changed', () => {
  const task = run('true');
  expect(task).toMatchObject({ status: 'succeeded', stages: [{ status: 'succeeded', changed: false }] });
});

thoroughTest('uncommitted changes of an agent are committed, including new files', () => {
  const task = run('echo two > source/one.txt; mkdir deep; echo new > deep/new.txt; echo no > ignored.log');
  expect(task.status).toBe('succeeded');
  expect([fileOf(task, 'source/one.txt'), fileOf(task, 'deep/new.txt')]).toEqual(['two', 'new']);
  const message = git(here().repository, 'log', '-1', '--format=%B', task.branch as string);
  expect(message).toMatch(/^only: Do it/);
  expect(message).toContain(`Carrel-Task: ${task.id}`);
});

test('an agent that deletes its own workspace has lost it for itself alone', () => {
  const script = 'echo kept > kept.txt; git add -A; git commit -qm kept; rm -rf "$CARREL_WORKSPACE_PATH"';
  const task = run(script);
  expect(task).toMatchObject({ status: 'failed', failure: { kind: 'workspace-lost' } });
  expect(fileOf(task, 'kept.txt')).toBe('kept');
});

thoroughTest('commits on a branch that grew out of the task branch become the work of the task', () => {
  const task = run(
    'git checkout -q -b mine; echo mine > mine.txt; git add -A; git commit -qm mine; echo more > more.txt',
  );
  expect(task.status).toBe('succeeded');
  expect(task.stages[0]?.warnings.join()).toContain('mine');
  expect([fileOf(task, 'mine.txt'), fileOf(task, 'more.txt')]).toEqual(['mine', 'more']);
  git(here().repository, 'branch', '-D', 'mine');
});

thoroughTest('work on an unrelated branch is kept and reported', () => {
  const task = run(
    'git checkout -q --orphan other; git rm -qrf .; echo other > other.txt; git add -A; git commit -qm other',
  );
  expect(task).toMatchObject({ status: 'failed', failure: { kind: 'branch-left' }, workspaceKept: true });
  expect(readFileSync(join(task.worktreePath as string, 'other.txt'), 'utf8')).toBe('other\n');
  git(here().repository, 'update-ref', '-d', 'refs/heads/other');
});

thoroughTest('an unfinished rebase stays unchanged, and is saved in a snapshot', () => {
  const task = run(
    [
      'echo a > source/one.txt; git commit -qam a',
      'git checkout -q -b side HEAD~1; echo b > source/one.txt; git commit -qam b',
      'git checkout -q "$CARREL_BRANCH"; git rebase -q side || true',
    ].join('\n'),
  );
  expect(task).toMatchObject({ status: 'failed', failure: { kind: 'operation-in-progress' } });
  const { carrel, repository } = here();
  expect(carrel.json<unknown[]>(repository, 'snapshots', task.workspaceName as string)).toHaveLength(1);
  expect(git(task.worktreePath as string, 'status')).toContain('rebase in progress');
  git(repository, 'update-ref', '-d', 'refs/heads/side');
});

test('distinguishes an agent that fails from one that cannot start, and both keep the workspace', () => {
  const failed = run('echo half > half.txt; exit 3');
  expect(failed).toMatchObject({
    status: 'failed',
    failure: { kind: 'agent-failed' },
    stages: [{ exitCode: 3 }],
    workspaceKept: true,
  });
  expect(readFileSync(join(failed.worktreePath as string, 'half.txt'), 'utf8')).toBe('half\n');
});

thoroughTest('the failure is in the prompt of the next attempt', () => {
  const task = run('cat >> "$TALLY"; test -f ready || { touch ready; echo because >&2; exit 1; }', {
    retries: 1,
  });
  expect(task).toMatchObject({ status: 'succeeded', stages: [{ attempts: 2 }] });
  expect(here().tally().join('\n')).toMatch(/because/);
});
