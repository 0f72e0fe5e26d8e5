import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel as openLibrary } from '../../../src/carrel.js';
import type { CarrelEvent } from '../../../src/domain/event.js';
import type { Task } from '../../../src/domain/task/task.js';
import { sampleOf, thoroughTest } from '../../helpers/flavours.js';
import { git } from '../../helpers/repository.js';
import { serveCarrel } from '../../helpers/server/served-carrel.js';
import { makeScriptedTasks, type ScriptedTasks } from '../../helpers/task/scripted-tasks.js';

// Stages with `approve: true`, with shell scripts as agents.

const WRITER =
  'cat > "$TALLY.$CARREL_STAGE"; echo "$CARREL_STAGE" >> "$TALLY"; echo 1 >> "$CARREL_STAGE.txt"';

const makeSite = (...stages: Readonly<Record<string, unknown>>[]): ScriptedTasks =>
  makeScriptedTasks({
    agents: { writer: WRITER },
    stages: stages.map(stage => ({ agent: 'writer', ...stage })),
    workflow: { isolation: 'worktree', validation: [{ kind: 'file-exists', path: 'README.md' }] },
  });

const twoStages = (): ScriptedTasks => makeSite({ name: 'plan', approve: true }, { name: 'build' });

const decide = ({ carrel, repository }: ScriptedTasks, ...args: string[]): Task =>
  JSON.parse(carrel.run(repository, 'task', ...args, '--json').stdout) as Task;

async function listEvents({ carrel, repository }: ScriptedTasks, id: string): Promise<CarrelEvent[]> {
  const library = await openLibrary({ repository, environment: carrel.env });
  const events: CarrelEvent[] = [];
  for await (const event of library.events({ taskId: id })) events.push(event);
  await library.close();
  return events;
}

test('a task waits after the stage, says how to continue, and does so after the approval', async () => {
  const site = twoStages();
  const { carrel, repository } = site;
  const { status, stdout } = carrel.run(repository, 'run', 'Do it');
  expect(status).toBe(7);
  const [waiting] = carrel.json<Task[]>(repository, 'task', 'ls') as [Task];
  const { id } = waiting;
  expect(stdout).toContain(`? ${id} waiting-for-approval after`);
  expect(stdout).toContain(`carrel task approve ${id}`);
  expect(waiting).toMatchObject({
    status: 'waiting-for-approval',
    stages: [{ status: 'succeeded', approval: { status: 'waiting' } }, { status: 'pending' }],
    runs: [{ outcome: 'waiting-for-approval', endedAt: expect.any(String) }],
  });
  expect(site.tally()).toEqual(['plan']);
  const done = decide(site, 'approve', id, '-m', 'looks good');
  expect(done).toMatchObject({
    status: 'succeeded',
    stages: [{ approval: { status: 'approved', message: 'looks good' } }, { status: 'succeeded' }],
    runs: [{ outcome: 'waiting-for-approval' }, { outcome: 'succeeded' }],
  });
  expect(done.stages[1]).not.toHaveProperty('approval');
  expect(site.tally()).toEqual(['plan', 'build']);
  const types = (await listEvents(site, id)).map(({ type }) => type);
  expect(types.filter(type => /approv/.test(type))).toEqual(['task.waiting-for-approval', 'stage.approved']);
});

test('work is not landed before the last stage is approved, and it is validated before the user is asked', () => {
  const site = makeSite({ name: 'build', approve: true });
  const waiting = site.run('--land');
  expect(waiting).toMatchObject({
    status: 'waiting-for-approval',
    landed: null,
    validation: [{ passed: true }],
  });
  expect(existsSync(`${site.repository}/build.txt`)).toBe(false);
  expect(site.carrel.error(site.repository, 'land', waiting.id)).toMatchObject({ code: 'TASK_BUSY' });
  expect(decide(site, 'approve', waiting.id)).toMatchObject({
    status: 'succeeded',
    landed: { into: 'main' },
  });
  expect(existsSync(`${site.repository}/build.txt`)).toBe(true);
});

test('a rejected stage fails the task with the reason, and a retry gives the reason to the agent', () => {
  const site = twoStages();
  const { id } = site.run();
  const rejected = decide(site, 'reject', id, '-m', 'use fewer words');
  expect(rejected).toMatchObject({
    status: 'failed',
    failure: { kind: 'rejected', stage: 'plan', message: expect.stringContaining('use fewer words') },
    stages: [{ status: 'failed', failure: { kind: 'rejected' } }, { status: 'pending' }],
  });
  expect(site.retry(id)).toMatchObject({ status: 'waiting-for-approval' });
  const again = decide(site, 'reject', id, '-m', 'even fewer', '--retry');
  expect(again).toMatchObject({ status: 'waiting-for-approval', stages: [{ attempts: 3 }, {}] });
  expect(
    site.carrel.ok(
      site.repository,
      'exec',
      again.workspaceName as string,
      'cat',
      `${site.carrel.home}/tally.plan`,
    ),
  ).toContain('the user rejected the work of plan: even fewer');
  const done = decide(site, 'approve', id);
  expect(done.status).toBe('succeeded');
  expect(site.tally()).toEqual(['plan', 'plan', 'plan', 'build']);
  expect(git(site.repository, 'show', `${done.branch}:plan.txt`)).toBe('1\n1\n1');
});

thoroughTest(
  'a waiting task keeps its workspace, cannot be retried past the approval, and can be cancelled',
  () => {
    const site = twoStages();
    const { carrel, repository } = site;
    const { id, workspaceName } = site.run();
    expect(carrel.error(repository, 'task', 'retry', id)).toMatchObject({ code: 'TASK_BUSY' });
    expect(carrel.error(repository, 'down', workspaceName as string)).toMatchObject({ status: 3 });
    expect(carrel.ok(repository, 'gc', '--older-than', '0s')).toContain('waiting-for-approval');
    expect(carrel.error(repository, 'task', 'approve', id, '--stage', 'build')).toMatchObject({
      code: 'TASK_BUSY',
      message: expect.stringContaining('waiting-for-approval of plan, not of build'),
    });
    expect(carrel.json<Task>(repository, 'task', 'cancel', id).status).toBe('cancelled');
    // The approval is still missing.
    expect(site.retry(id).status).toBe('waiting-for-approval');
    expect(carrel.error(repository, 'task', 'approve', 'task_unknown')).toMatchObject({
      code: 'TASK_NOT_FOUND',
    });
    expect(decide(site, 'approve', id).status).toBe('succeeded');
    expect(carrel.error(repository, 'task', 'approve', id)).toMatchObject({ code: 'TASK_BUSY', status: 3 });
    expect(site.tally()).toEqual(['plan', 'build']);
  },
);

test.each(sampleOf(['paused', 'stage-ended.plan', 'committed.plan'], 'paused'))(
  'a task whose process is killed at %s waits for the approval, and continues in another process',
  moment => {
    const site = twoStages();
    const { carrel, repository } = site;
    const killed = carrel.runWith({ CARREL_TEST_KILL_AT: `task:${moment}` }, repository, 'run', 'Do it');
    expect(killed.signal).toBe('SIGKILL');
    const { id, status } = carrel.json<Task[]>(repository, 'task', 'ls')[0] as Task;
    const waiting = status === 'interrupted' ? site.retry(id) : site.show(id);
    expect(waiting).toMatchObject({ status: 'waiting-for-approval', stages: [{ status: 'succeeded' }, {}] });
    expect(site.tally()).not.toContain('build');
    expect(decide(site, 'approve', id).status).toBe('succeeded');
    expect(site.tally().filter(line => line === 'build')).toHaveLength(1);
  },
);

thoroughTest('of two decisions at the same time exactly one counts', async () => {
  const site = twoStages();
  const { carrel, repository } = site;
  const { id } = site.run();
  const outcomes = await Promise.all([
    carrel.start(repository, 'task', 'approve', id, '--json'),
    carrel.start(repository, 'task', 'approve', id, '--json'),
    carrel.start(repository, 'task', 'reject', id, '-m', 'no', '--retry', '--json'),
  ]);
  expect(outcomes.filter(({ status }) => status === 3)).toHaveLength(2);
  const events = (await listEvents(site, id)).filter(({ type }) => /^stage\.(approved|rejected)$/.test(type));
  expect(events).toHaveLength(1);
  expect(site.tally()).toEqual(events[0]?.type === 'stage.approved' ? ['plan', 'build'] : ['plan', 'plan']);
});

thoroughTest('other stages continue while one waits, and each parallel stage is approved on its own', () => {
  const site = makeSite(
    { name: 'left', dependsOn: [], approve: true },
    { name: 'right', dependsOn: [], approve: true },
    { name: 'free', dependsOn: [] },
    { name: 'last', dependsOn: ['left', 'right', 'free'] },
  );
  const waiting = site.run();
  expect(waiting.stages.map(({ name, status, approval }) => [name, status, approval?.status])).toEqual([
    ['left', 'succeeded', 'waiting'],
    ['right', 'succeeded', 'waiting'],
    ['free', 'succeeded', undefined],
    ['last', 'pending', undefined],
  ]);
  const half = decide(site, 'approve', waiting.id, '--stage', 'right');
  expect(half).toMatchObject({
    status: 'waiting-for-approval',
    stages: [{}, { approval: { status: 'approved' } }, {}, {}],
  });
  expect(decide(site, 'reject', waiting.id, '-m', 'again', '--retry')).toMatchObject({
    status: 'waiting-for-approval',
    stages: [
      { approval: { status: 'waiting' }, attempts: 2 },
      { approval: { status: 'approved' }, attempts: 1 },
      {},
      {},
    ],
  });
  const done = decide(site, 'approve', waiting.id);
  expect(done.status).toBe('succeeded');
  expect(git(site.repository, 'show', `${done.branch}:left.txt`)).toBe('1\n1');
  expect(site.tally().filter(line => line === 'last')).toHaveLength(1);
});

thoroughTest('a server, its client and a program decide with the same names', async () => {
  const site = twoStages();
  const { carrel, repository } = site;
  const server = await serveCarrel(carrel, repository, '--port', '0');
  const at = ['--server', server.url];
  const run = carrel.run(repository, 'run', 'Do it', '--json', ...at);
  expect(run.status, run.stderr).toBe(7);
  const first = JSON.parse(run.stdout) as Task;
  const { client } = server;
  await expect(client.tasks.reject(first.id, {} as never)).rejects.toMatchObject({ status: 400 });
  const again = await client.tasks.reject(first.id, { message: 'once more', stage: 'plan', retry: true });
  expect(again.status).toBe('waiting');
  for await (const _ of client.events({ taskId: first.id }));
  const approved = carrel.run(repository, 'task', 'approve', first.id, '--json', ...at);
  expect(JSON.parse(approved.stdout)).toMatchObject({ id: first.id, status: 'succeeded' });
  await expect(client.tasks.approve(first.id)).rejects.toMatchObject({ status: 409, code: 'TASK_BUSY' });
  await server.stop();

  const library = await openLibrary({ repository, environment: carrel.env });
  onTestFinished(() => library.close());
  const { id } = await library.createTask({ description: 'Do it' });
  expect(await library.executeTask(id)).toMatchObject({ status: 'waiting-for-approval' });
  await expect(library.executeTask(id)).rejects.toMatchObject({ code: 'TASK_BUSY' });
  expect(await library.tasks.approve(id, { message: 'yes' })).toMatchObject({ status: 'waiting' });
  expect(await library.executeTask(id)).toMatchObject({ status: 'succeeded' });
  const { id: other } = await library.createTask({ description: 'Do it' });
  await library.executeTask(other);
  expect(await library.tasks.reject(other, { message: 'no' })).toMatchObject({ status: 'failed' });
});
