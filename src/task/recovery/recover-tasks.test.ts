import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../../test/helpers/repository.js';
import { useTaskPrograms } from '../../../test/helpers/task/task-programs.js';
import { makeTaskSite } from '../../../test/helpers/task/task-site.js';
import { waitFor, waitForPid } from '../../../test/helpers/wait-for.js';
import { needProgram } from '../../../test/parts/required-part.js';
import { LONGEST_SILENCE_MS, type ProcessIdentity } from '../../domain/process-identity.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { identifyProcess } from '../../exec/process/identify-process.js';
import { openEnvironment } from '../../operations/command/workspace-environment.js';
import { up } from '../../operations/workspace/up.js';
import { eventTypes, sampleTask } from '../../store/contract/sample-records.js';
import { takeTurn } from '../queue/take-turn.js';
import { recoverTasks } from './recover-tasks.js';
import { retryTask } from './retry-task.js';

const start = useTaskPrograms();

const self = identifyProcess(process.pid) as ProcessIdentity;
const dead: ProcessIdentity = { ...self, startedAt: 'another' };
const runningStages = sampleTask().stages.map(stage => ({ ...stage, status: 'running' as const }));
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

/** A task whose process died while working on it. */
const left: Partial<TaskRecord> = {
  status: 'running',
  owner: dead,
  heartbeatAt: ago(100),
  stages: runningStages,
  runs: [{ startedAt: ago(1000), endedAt: null, outcome: 'running' }],
};

test('a task whose process was killed is interrupted once, its leftover processes are killed, and it can be resumed', async () => {
  needProgram('setsid');
  const { app, repository, insert, find, open, narrated } = await makeTaskSite();
  const workspace = await up(app, { repository, name: 'desk', isolation: 'worktree' });
  const record = await app.store.workspaces.find(workspace.id);
  const { id } = await insert({ workspaceId: workspace.id, workspaceName: 'desk', stages: runningStages });
  // In the tree of the command; found by what its environment says of its owner; found only by its parent.
  const script = `echo $$ > one
    (env -u CARREL_COMMAND_ID setsid sh -c 'echo $$ > two; exec sleep 600' &)
    env -i sh -c 'echo $$ > three; exec sleep 600'`;
  const owner = start(
    `const app = await open();
     await takeTurn(app, await app.store.tasks.find(args[1]), { concurrency: 1 });
     const record = await app.store.workspaces.find(args[2]);
     await openEnvironment(app, record).run({ command: ['sh', '-c', args[3]] });`,
    JSON.stringify(app.environment),
    id,
    workspace.id,
    script,
  );
  const files = ['one', 'two', 'three'].map(name => join(workspace.path, name));
  const pids = await Promise.all(files.map(waitForPid));
  await expect.poll(() => app.store.commands.list(workspace.id)).toHaveLength(1);
  // An unrelated command in the same workspace.
  const users = openEnvironment(app, record as NonNullable<typeof record>).run({
    command: ['sh', '-c', 'echo $$ > users; while [ ! -e done ]; do sleep 0.1; done; echo still here'],
  });
  await waitForPid(join(workspace.path, 'users'));
  await recoverTasks(app);
  expect((await find(id)).status).toBe('running');
  owner.kill();
  await owner.ended;

  await Promise.all([recoverTasks(app), recoverTasks(await open())]);
  expect(narrated).toEqual([
    `the task ${id} was interrupted in stage develop, its process is gone; resume it with: carrel task retry ${id}`,
  ]);
  expect(pids.filter(pid => identifyProcess(pid))).toEqual([]);
  expect(await find(id)).toMatchObject({
    status: 'interrupted',
    owner: null,
    stages: [{ status: 'interrupted' }],
    runs: [{ outcome: 'interrupted', endedAt: expect.any(String) }],
  });
  const types = (await app.store.events.list({ taskId: id, limit: 10 })).map(event => event.type);
  expect(types).toEqual(['task.started', 'stage.interrupted', 'task.interrupted']);
  writeFiles(workspace.path, { done: '' });
  expect((await users).stdout.toString()).toBe('still here\n');

  await recoverTasks(app);
  expect(narrated).toHaveLength(1);
  const waiting = await retryTask(app, { id });
  expect(waiting).toMatchObject({ status: 'waiting', workspaceKept: true, workspaceName: 'desk' });
  const turn = await takeTurn(app, await find(id), { concurrency: 1 });
  expect(turn).toMatchObject({
    status: 'running',
    runs: [{ outcome: 'interrupted' }, { outcome: 'running' }],
  });
});

test('reports a task that its process did not take; a task without such a process waits', async () => {
  const { app, insert, find, narrated } = await makeTaskSite();
  const old = await insert({ createdAt: ago(120_000), heartbeatAt: ago(120_000) });
  const made = await insert({ createdAt: ago(120_000) });
  const retried = await insert({ createdAt: ago(120_000), heartbeatAt: ago(1000) });
  await recoverTasks(app);
  expect(narrated).toEqual([
    `the task ${old.id} was never started, no process took it; start it with: carrel task retry ${old.id}`,
  ]);
  expect((await find(old.id)).status).toBe('interrupted');
  for (const { id } of [made, retried]) expect((await find(id)).status).toBe('waiting');
});

test('a process that cannot be looked up counts as dead after too long without a heartbeat', async () => {
  const { app, insert, find } = await makeTaskSite();
  const owner = { ...self, realm: self.realm.replace(/ \S+/, ' another-namespace') };
  const alive = await insert({ ...left, owner, heartbeatAt: ago(LONGEST_SILENCE_MS - 30_000) });
  const silent = await insert({ ...left, owner, heartbeatAt: ago(LONGEST_SILENCE_MS + 30_000) });
  await recoverTasks(app);
  expect((await find(alive.id)).status).toBe('running');
  expect((await find(silent.id)).status).toBe('interrupted');
});

test('a task that was to be cancelled when its process died is cancelled', async () => {
  const { app, insert, find } = await makeTaskSite();
  const { id } = await insert({ ...left, cancelRequestedAt: ago(50) });
  await recoverTasks(app);
  expect(await find(id)).toMatchObject({ status: 'cancelled', stages: [{ status: 'cancelled' }] });
  expect(await eventTypes(app.store)).toEqual(['stage.cancelled', 'task.cancelled']);
});

test('a task is resumed in the background if configured, unless its process dies again and again', async () => {
  const { home, open, insert, find, narrated } = await makeTaskSite();
  writeFiles(home, { 'config/carrel/config.yaml': 'tasks:\n  onInterruption: resume\n' });
  const file = join(home, 'started');
  const script = `echo $$ "$@" > ${file}; while [ ! -e ${home}/done ]; do sleep 0.1; done`;
  const app = await open({ ownCommand: ['/bin/sh', '-c', script, 'carrel'] });
  const interrupted = { startedAt: ago(1), endedAt: ago(1), outcome: 'interrupted' } as const;
  const once = await insert(left);
  const often = await insert({ ...left, runs: [interrupted, interrupted, interrupted] });
  await recoverTasks(app);
  const started = await waitFor(
    'the start',
    () => (existsSync(file) && readFileSync(file, 'utf8')) || undefined,
  );
  const [pid, ...args] = started.trimEnd().split(' ');
  expect(args).toEqual(['task', 'execute', once.id]);
  expect(await find(once.id)).toMatchObject({
    status: 'waiting',
    owner: null,
    stages: [{ status: 'pending' }],
  });
  expect((await find(often.id)).status).toBe('interrupted');
  expect(narrated).toEqual([
    `the task ${once.id} was interrupted in stage develop, its process is gone; it is resumed in the background, follow it with: carrel task logs ${once.id} --follow`,
    `the task ${often.id} was interrupted in stage develop, its process is gone and it could not be resumed (interrupted 3 times); resume it with: carrel task retry ${often.id}`,
  ]);
  writeFiles(home, { done: '' });
  await waitFor('its end', () => (identifyProcess(Number(pid)) ? undefined : true));
});
