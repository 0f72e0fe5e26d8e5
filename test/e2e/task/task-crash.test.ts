import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Task } from '../../../src/domain/task/task.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { isRunning } from '../../helpers/machine/processes.js';
import { git, writeFiles } from '../../helpers/repository.js';
import { makeScriptedTasks, type ScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { waitFor } from '../../helpers/wait-for.js';
import { needProgram } from '../../parts/required-part.js';

/** Two stages; each says in the tally that it ran, and leaves a file. */
const twoStages = (): ScriptedTasks =>
  makeScriptedTasks({
    agents: {
      first: 'echo first >> "$TALLY"; echo 1 > first.txt; echo plan > "$CARREL_OUTPUT_DIR/plan.md"',
      second: 'echo second >> "$TALLY"; cat "$CARREL_INPUT_DIR"/plan* > second.txt',
    },
    stages: [
      { name: 'one', agent: 'first', outputs: ['plan'] },
      { name: 'two', agent: 'second', inputs: ['plan'] },
    ],
    workflow: {
      isolation: 'worktree',
      validation: [{ kind: 'file-exists', path: 'second.txt' }],
    },
  });

const latest = ({ carrel, repository }: ScriptedTasks): Task =>
  carrel.json<Task[]>(repository, 'task', 'ls').at(-1) as Task;

/** Moments of a run, and what the agents must have done when all is over. */
const COMMITTED = ['committed.one', ['first', 'first', 'second']] as const;
const moments: readonly (readonly [string, readonly string[]])[] = [
  ['workspace-ready', ['first', 'second']],
  ['agent-starting.one', ['first', 'second']],
  ['agent-ended.one', ['first', 'first', 'second']],
  COMMITTED,
  ['stage-ended.one', ['first', 'second']],
  ['stage-started.two', ['first', 'second']],
  ['committed.two', ['first', 'second', 'second']],
  ['validating', ['first', 'second']],
];

test.each(sampleOf(moments, COMMITTED))(
  'a run that is killed at %s goes on after the last finished stage',
  (moment, ran) => {
    const site = twoStages();
    const before = fingerprint(site.repository);
    const killed = site.carrel.runWith(
      { CARREL_TEST_KILL_AT: `task:${moment}` },
      site.repository,
      'run',
      'Do it',
    );
    expect(killed.signal).toBe('SIGKILL');
    const next = site.carrel.run(site.repository, 'ls');
    const { id, status, worktreePath } = latest(site);
    expect(status).toBe('interrupted');
    expect(next.stderr).toContain(`carrel task retry ${id}`);
    const done = site.retry(id);
    expect(done).toMatchObject({
      status: 'succeeded',
      runs: [{ outcome: 'interrupted' }, { outcome: 'succeeded' }],
    });
    expect(done.worktreePath).toBe(worktreePath ?? done.worktreePath);
    expect(site.tally()).toEqual(ran);
    expect(git(site.repository, 'show', `${done.branch}:second.txt`)).toBe('plan');
    expect(fingerprint(site.repository)).toEqual(before);
  },
);

test.each(sampleOf(['land:merged', 'land:done', 'down:captured'], 'land:done'))(
  'a delivery that is killed at %s is completed by a retry',
  moment => {
    const site = twoStages();
    const kill = { CARREL_TEST_KILL_AT: moment };
    expect(site.carrel.runWith(kill, site.repository, 'run', 'Do it', '--land').signal).toBe('SIGKILL');
    const { id, status } = latest(site);
    // The removal comes after the end of the task.
    expect(status).toBe(moment === 'down:captured' ? 'succeeded' : 'interrupted');
    const done = status === 'succeeded' ? site.show(id) : site.retry(id);
    expect(done).toMatchObject({ status: 'succeeded', landed: { into: 'main', commit: done.head } });
    expect(git(site.repository, 'rev-parse', 'main')).toBe(done.head);
    expect(site.tally()).toEqual(['first', 'second']);
  },
);

const LANDING = ['up:populated', 'up:done', 'land:recorded', 'land:moved', 'land:done', 'down:captured'];
test.each(sampleOf(LANDING, 'land:recorded'))(
  'landing the branch of a task, killed at %s, is completed by the next landing, and leaves no workspace',
  moment => {
    const site = twoStages();
    const { id, head } = site.run();
    const kill = { CARREL_TEST_KILL_AT: moment };
    expect(site.carrel.runWith(kill, site.repository, 'land', id).signal).toBe('SIGKILL');
    const isLanded = ['land:moved', 'land:done', 'down:captured'].includes(moment);
    site.carrel.ok(site.repository, 'ls');
    expect(git(site.repository, 'rev-parse', 'main') === head).toBe(isLanded);
    if (isLanded)
      expect(site.carrel.error(site.repository, 'land', id)).toMatchObject({ code: 'LAND_NOTHING' });
    else site.carrel.ok(site.repository, 'land', id);
    expect(site.show(id)).toMatchObject({ landed: { into: 'main', commit: head } });
    expect(git(site.repository, 'rev-parse', 'main')).toBe(head);
    expect(site.carrel.json(site.repository, 'ls')).toEqual([]);
    expect(git(site.repository, 'branch', '--list', '*-landing')).toBe('');
  },
);

thoroughTest(
  'a workspace of the user with the name of a landing stays, and so does work in a leftover',
  () => {
    const site = twoStages();
    const { id, head, workspaceName } = site.run();
    const name = `${workspaceName}-landing`;
    const path = site.carrel.ok(site.repository, 'up', name);
    expect(site.carrel.error(site.repository, 'land', id)).toMatchObject({ code: 'WORKSPACE_EXISTS' });
    expect(existsSync(path)).toBe(true);
    site.carrel.ok(site.repository, 'down', name);
    const kill = { CARREL_TEST_KILL_AT: 'land:recorded' };
    expect(site.carrel.runWith(kill, site.repository, 'land', id).signal).toBe('SIGKILL');
    const [left] = site.carrel.json<{ path: string }[]>(site.repository, 'ls');
    writeFiles(left?.path as string, { 'mine.txt': 'mine\n' });
    expect(site.carrel.error(site.repository, 'land', id)).toMatchObject({ code: 'REMOVAL_REFUSED' });
    expect(existsSync(`${left?.path}/mine.txt`)).toBe(true);
    site.carrel.ok(site.repository, 'down', name, '--discard-changes');
    site.carrel.ok(site.repository, 'land', id);
    expect(git(site.repository, 'rev-parse', 'main')).toBe(head);
  },
);

thoroughTest('a parallel stage whose work was joined before a crash does not run again', () => {
  const writer = 'echo "$CARREL_STAGE" >> "$TALLY"; echo $$ > "$CARREL_STAGE.txt"';
  const site = makeScriptedTasks({
    agents: { writer },
    stages: ['two', 'three'].map(name => ({ name, agent: 'writer', dependsOn: [] })),
    workflow: { isolation: 'worktree' },
  });
  const kill = { CARREL_TEST_KILL_AT: 'task:joined.two' };
  expect(site.carrel.runWith(kill, site.repository, 'run', 'Do it').signal).toBe('SIGKILL');
  const done = site.retry(latest(site).id);
  expect(done).toMatchObject({ status: 'succeeded', stages: [{ attempts: 1 }, { attempts: 1 }] });
  expect(site.tally().sort()).toEqual(['three', 'two']);
  const branch = done.branch as string;
  expect(git(site.repository, 'ls-tree', '--name-only', branch)).toMatch(/three.txt\ntwo.txt/);
  expect(
    git(site.repository, 'for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads/carrel'),
  ).toBe(`${branch} ${done.head}`);
});

test('an agent whose Carrel is killed does not keep running', async () => {
  needProgram('setsid');
  const site = makeScriptedTasks({
    agents: { slow: 'echo $$ >> "$TALLY"; setsid sleep 1000 & exec sleep 1000' },
    stages: [{ name: 'only', agent: 'slow' }],
    workflow: { isolation: 'worktree' },
  });
  const running = site.carrel.start(site.repository, 'run', 'Do it');
  await waitFor('the agent to begin', () => site.tally()[0]);
  running.child.kill('SIGKILL');
  await running;
  const pid = Number(site.tally()[0]);
  expect(isRunning(pid)).toBe(true);
  site.carrel.ok(site.repository, 'task', 'ls');
  expect(isRunning(pid)).toBe(false);
  expect(latest(site)).toMatchObject({ status: 'interrupted', stages: [{ status: 'interrupted' }] });
});

thoroughTest('a task that another process cancels stops its agent and keeps the workspace', async () => {
  const site = makeScriptedTasks({
    agents: { slow: 'echo half > half.txt; echo $$ >> "$TALLY"; exec sleep 1000' },
    stages: [{ name: 'only', agent: 'slow' }],
    workflow: { isolation: 'worktree' },
  });
  const running = site.carrel.start(site.repository, 'run', 'Do it');
  await waitFor('the agent to begin', () => site.tally()[0]);
  const { id } = latest(site);
  site.carrel.ok(site.repository, 'task', 'cancel', id);
  expect((await running).status).toBe(1);
  const task = site.show(id);
  expect(task).toMatchObject({ status: 'cancelled', workspaceKept: true });
  expect(existsSync(`${task.worktreePath}/half.txt`)).toBe(true);
  expect(isRunning(Number(site.tally()[0]))).toBe(false);
});

thoroughTest('a running task cannot be started a second time', async () => {
  const site = makeScriptedTasks({
    agents: {
      slow: 'echo run >> "$TALLY"; while test ! -f "$TALLY.go"; do sleep 0.05; done; echo x > x.txt',
    },
    stages: [{ name: 'only', agent: 'slow' }],
    workflow: { isolation: 'worktree' },
  });
  const running = site.carrel.start(site.repository, 'run', 'Do it');
  await waitFor('the agent to begin', () => site.tally()[0]);
  const { id } = latest(site);
  for (const args of [
    ['task', 'retry', id],
    ['task', 'execute', id],
  ])
    expect(site.carrel.error(site.repository, ...args)).toMatchObject({ status: 3, code: 'TASK_BUSY' });
  git(site.repository, 'config', '--file', `${site.carrel.home}/tally.go`, 'a.b', 'c');
  expect((await running).status).toBe(0);
  expect(site.tally()).toEqual(['run']);
});
