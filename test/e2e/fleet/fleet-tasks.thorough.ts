import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Task } from '../../../src/domain/task/task.js';
import { type FleetBench, withFleetBench } from '../../helpers/fleet/fleet-bench.js';
import { usePostgres } from '../../helpers/fleet/postgres.js';
import { git, writeFiles } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { makeScriptedTasks, type ScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor } from '../../helpers/wait-for.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

const postgres = usePostgres();

/** A killed host is noticed after 13 seconds, and a busy machine starts a worker in ten. */
vi.setConfig({ testTimeout: 300_000 });

const WRITE = `cat > /dev/null; echo begun >> "$TALLY"
  while [ ! -e "$TALLY.go" ]; do sleep 0.1; done; echo done > done.txt`;

const makeTasks = (environment: Record<string, string> = {}) =>
  makeScriptedTasks({
    environment,
    agents: { writer: WRITE, quick: 'cat > /dev/null; echo quick > done.txt', idle: 'cat > /dev/null' },
    stages: [{ name: 'writing', agent: 'writer' }],
  });

const letFinish = ({ carrel }: ScriptedTasks) => writeFiles(carrel.home, { 'tally.go': '' });

const untilBegun = ({ tally }: ScriptedTasks, times = 1) =>
  waitFor('the agent', () => tally().length >= times || undefined);

const onlyTask = ({ carrel, repository }: ScriptedTasks): Task =>
  carrel.json<[Task]>(repository, 'task', 'ls')[0];

const withTasks = async (
  use: (bench: FleetBench, tasks: ScriptedTasks) => Promise<void>,
  address?: string,
  environment?: Record<string, string>,
) => {
  const tasks = makeTasks(environment);
  const where = address ?? (await postgres.createDatabase());
  await withFleetBench(where, bench => use(bench, tasks), {}, tasks.carrel);
};

const wordsFor = ({ address }: FleetBench) => ['run', 'it', '--on', address, '--isolation', 'worktree'];

const expectDone = ({ repository, carrel }: ScriptedTasks, id: string): Task => {
  const task = carrel.json<Task>(repository, 'task', 'show', id);
  expect(task).toMatchObject({ status: 'succeeded' });
  expect(git(repository, 'show', `${task.branch}:done.txt`)).toBe('done');
  return task;
};

test('the task of a killed worker is done by another one', () =>
  withTasks(async (bench, tasks) => {
    const killed = await bench.startWorker('killed');
    const running = bench.startTask(tasks.repository, ...wordsFor(bench));
    await untilBegun(tasks);
    killed.process.child.kill('SIGKILL');
    const other = await bench.startWorker('other');
    await untilBegun(tasks, 2);
    letFinish(tasks);
    expect(await running).toMatchObject({ status: 0 });
    expect(expectDone(tasks, onlyTask(tasks).id)).toMatchObject({ fleet: { host: other.host } });
  }));

test('a task with a cost limit whose worker was killed fails instead of spending it twice', () =>
  withTasks(async (bench, tasks) => {
    const killed = await bench.startWorker('killed');
    const running = bench.startTask(tasks.repository, ...wordsFor(bench), '--cost-limit', '1');
    await untilBegun(tasks);
    killed.process.child.kill('SIGKILL');
    await bench.startWorker('other');
    const { status, stdout } = await running;
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', failure: { kind: 'limit' } });
    letFinish(tasks);
    expect(tasks.retry(onlyTask(tasks).id)).toMatchObject({ status: 'succeeded' });
    expect(tasks.tally()).toHaveLength(2);
  }));

test('a task whose submitter was killed is brought back by task show, once', () =>
  withTasks(async (bench, tasks) => {
    await bench.startWorker('one');
    const running = bench.startTask(tasks.repository, ...wordsFor(bench));
    await untilBegun(tasks);
    running.child.kill('SIGKILL');
    await running;
    const { id, status } = onlyTask(tasks);
    expect(status).toMatch(/^(waiting|running)$/);
    letFinish(tasks);
    const run = bench.findRun() as string;
    await waitFor('the result', () => bench.show(run).state === 'finished' || undefined);
    const task = expectDone(tasks, id);
    expect(task.runs).toHaveLength(1);
    const log = tasks.carrel.ok(tasks.repository, 'task', 'logs', id);
    expect(log.match(/writing +succeeded/g)).toHaveLength(1);
  }));

test('a submitter that is killed while it submits loses no task', () =>
  withTasks(async (bench, tasks) => {
    const { carrel, repository } = tasks;
    letFinish(tasks);
    await bench.startWorker('one');
    for (const step of ['task:run-recorded', 'task:submitted']) {
      const { signal } = carrel.runWith({ CARREL_TEST_KILL_AT: step }, repository, ...wordsFor(bench));
      expect(signal).toBe('SIGKILL');
      const { id } = carrel.json<Task[]>(repository, 'task', 'ls').at(-1) as Task;
      if (step === 'task:submitted')
        await waitFor('the result', () => {
          const { status } = carrel.json<Task>(repository, 'task', 'show', id);
          return status === 'succeeded' || undefined;
        });
      else {
        expect(carrel.json(repository, 'task', 'cancel', id)).toMatchObject({ status: 'cancelled' });
        expect(tasks.retry(id)).toMatchObject({ status: 'succeeded' });
      }
      expectDone(tasks, id);
    }
    expect(tasks.tally()).toEqual(['begun', 'begun']);
  }));

test('Ctrl-C cancels the task, also before a worker has it', () =>
  withTasks(async (bench, tasks) => {
    const waiting = bench.startTask(tasks.repository, ...wordsFor(bench));
    await waitFor('the run', () => bench.findRun());
    waiting.child.kill('SIGINT');
    expect(await waiting).toMatchObject({ status: 130 });
    expect(onlyTask(tasks)).toMatchObject({ status: 'cancelled', branch: null });
    await bench.startWorker('one');
    const running = bench.startTask(tasks.repository, ...wordsFor(bench));
    await untilBegun(tasks);
    running.child.kill('SIGINT');
    const { status, stdout } = await running;
    expect(status).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled', runs: [{ outcome: 'cancelled' }] });
  }));

test('a detached task is followed in the background, and its log can be followed', () =>
  withTasks(async (bench, tasks) => {
    const { carrel, repository } = tasks;
    await bench.startWorker('one');
    const { id } = carrel.json<Task>(repository, ...wordsFor(bench), '--detach');
    await untilBegun(tasks);
    const following = bench.startTask(repository, 'task', 'logs', id, '--follow');
    letFinish(tasks);
    expect((await following).stdout).toContain('"stage":"writing"');
    expectDone(tasks, id);
  }));

test('a worker with the state directory of the submitter does its tasks', () =>
  withTasks(
    async (bench, tasks) => {
      const { carrel, repository } = tasks;
      await bench.startWorkerOf(carrel);
      letFinish(tasks);
      const { stdout } = await bench.startTask(repository, ...wordsFor(bench));
      expectDone(tasks, JSON.parse(stdout).id);
      expect(carrel.json(repository, 'task', 'ls', '--all')).toHaveLength(1);
    },
    join(tempDir(), 'fleet'),
  ));

test('a submitter without a sandbox has its task run in one of the worker, which refuses weaker isolation', async context => {
  await requireBubblewrap(context);
  await withTasks(
    async (bench, tasks) => {
      const { repository } = tasks;
      await bench.startWorker('one', '--allow', 'full');
      const words = ['run', 'it', '--on', bench.address, '--agent', 'quick'];
      const { stdout } = await bench.startTask(repository, ...words);
      const task = JSON.parse(stdout) as Task;
      expect(task).toMatchObject({ status: 'succeeded', isolation: { effective: 'full' } });
      expect(git(repository, 'show', `${task.branch}:done.txt`)).toBe('quick');
      const weaker = bench.startTask(repository, ...wordsFor(bench));
      await waitFor('the refusal', () => {
        const { left } = bench.show(bench.findRun() as string);
        return left.some(({ reason }) => reason.includes('worktree')) || undefined;
      });
      weaker.child.kill('SIGINT');
      expect(await weaker).toMatchObject({ status: 130 });
    },
    join(tempDir(), 'fleet'),
    { PATH: pathWithout('bwrap', 'podman', 'docker') },
  );
});

test('a task that changes nothing, and a branch whose name is taken, come back too', () =>
  withTasks(
    async (bench, tasks) => {
      const { carrel, repository } = tasks;
      await bench.startWorker('one');
      const idle = await bench.startTask(repository, ...wordsFor(bench), '--agent', 'idle');
      const { id, head, base } = JSON.parse(idle.stdout) as Task;
      expect(head).toBe(base);
      expect(carrel.ok(repository, 'task', 'diff', id)).toBe('');
      expect(carrel.error(repository, 'land', id).code).toBe('TASK_HAS_NO_WORK');
      const running = bench.startTask(repository, ...wordsFor(bench));
      await untilBegun(tasks);
      const { workspaceName } = carrel.json<Task[]>(repository, 'task', 'ls').at(-1) as Task;
      git(repository, 'checkout', '-qb', `carrel/${workspaceName}`);
      letFinish(tasks);
      const task = JSON.parse((await running).stdout) as Task;
      expect(task).toMatchObject({ status: 'succeeded', branch: `carrel/${workspaceName}-r2` });
      expect(git(repository, 'rev-parse', 'HEAD')).toBe(base);
    },
    join(tempDir(), 'fleet'),
  ));

test('a result whose files are gone is a failure, and a retry does the work again', () =>
  withTasks(
    async (bench, tasks) => {
      const { carrel, repository } = tasks;
      letFinish(tasks);
      const { process } = await bench.startWorker('one');
      const running = bench.startTask(repository, ...wordsFor(bench));
      await waitFor('the run', () => bench.findRun());
      running.child.kill('SIGKILL');
      await running;
      const run = bench.findRun() as string;
      await waitFor('the result', () => bench.show(run).state === 'finished' || undefined);
      process.child.kill('SIGTERM');
      await process;
      rmSync(bench.artifacts, { recursive: true });
      carrel.ok(repository, 'fleet', 'init', bench.address, '--artifacts', bench.artifacts);
      const { id } = onlyTask(tasks);
      expect(tasks.show(id)).toMatchObject({ status: 'failed', failure: { kind: 'workspace-lost' } });
      await bench.startWorker('two');
      expect(tasks.retry(id)).toMatchObject({ status: 'succeeded' });
    },
    join(tempDir(), 'fleet'),
  ));

test('a stage that waits for an approval comes back, and the approved task continues on the fleet', async () => {
  const tasks = makeScriptedTasks({
    agents: { writer: 'cat > /dev/null; echo "$CARREL_STAGE" >> "$TALLY"; echo 1 >> "$CARREL_STAGE.txt"' },
    stages: [
      { name: 'plan', agent: 'writer', approve: true },
      { name: 'build', agent: 'writer' },
    ],
  });
  const { carrel, repository, tally } = tasks;
  const use = async (bench: FleetBench) => {
    await bench.startWorker('one');
    const { status, stdout } = await bench.startTask(repository, ...wordsFor(bench));
    expect(status).toBe(7);
    const { id, branch } = JSON.parse(stdout) as Task;
    expect(git(repository, 'show', `${branch}:plan.txt`)).toBe('1');
    expect(carrel.ok(repository, 'task', 'logs', id)).toContain(`carrel task approve ${id}`);
    const again = JSON.parse(
      carrel.run(repository, 'task', 'reject', id, '--retry', '-m', 'more', '--json').stdout,
    );
    expect(again).toMatchObject({ status: 'waiting-for-approval', branch });
    const done = carrel.json<Task>(repository, 'task', 'approve', id);
    expect(done).toMatchObject({ status: 'succeeded', branch });
    expect(done.runs).toHaveLength(3);
    expect(tally()).toEqual(['plan', 'plan', 'build']);
    expect(git(repository, 'show', `${branch}:plan.txt`)).toBe('1\n1');
  };
  await withFleetBench(join(tempDir(), 'fleet'), use, {}, carrel);
});

test('parallel stages that were not joined come back as branches, and a retry does them again', async () => {
  const tasks = makeScriptedTasks({
    agents: {
      writer: `cat > /dev/null; echo half > "$CARREL_STAGE.txt"; echo "$CARREL_STAGE" >> "$TALLY"
        while [ ! -e "$TALLY.go" ]; do sleep 0.1; done`,
    },
    stages: [
      { name: 'left', agent: 'writer', dependsOn: [] },
      { name: 'right', agent: 'writer', dependsOn: [] },
    ],
  });
  const { carrel, repository } = tasks;
  const use = async (bench: FleetBench) => {
    await bench.startWorker('one');
    const running = bench.startTask(repository, ...wordsFor(bench));
    await untilBegun(tasks, 2);
    const { id } = onlyTask(tasks);
    const { branch, warnings } = carrel.json<Task>(repository, 'task', 'cancel', id);
    await running;
    for (const stage of ['left', 'right'])
      expect(git(repository, 'show', `${branch}-${stage}:${stage}.txt`)).toBe('half');
    expect(warnings.filter(text => text.includes('not joined'))).toHaveLength(2);
    letFinish(tasks);
    expect(tasks.retry(id)).toMatchObject({ status: 'succeeded' });
    for (const stage of ['left', 'right'])
      expect(git(repository, 'show', `${branch}:${stage}.txt`)).toBe('half');
  };
  await withFleetBench(join(tempDir(), 'fleet'), use, {}, carrel);
});

test('a stage whose work could not be joined is done again by a retry', async () => {
  const tasks = makeScriptedTasks({
    agents: { writer: 'cat > /dev/null; echo "$CARREL_STAGE" >> "$TALLY"; echo "$CARREL_STAGE" > same.txt' },
    stages: [
      { name: 'left', agent: 'writer', dependsOn: [] },
      { name: 'right', agent: 'writer', dependsOn: [] },
    ],
  });
  const { carrel, repository, tally } = tasks;
  const use = async (bench: FleetBench) => {
    await bench.startWorker('one');
    const { stdout } = await bench.startTask(repository, ...wordsFor(bench));
    const { id, status, failure } = JSON.parse(stdout) as Task;
    expect({ status, kind: failure?.kind }).toEqual({ status: 'failed', kind: 'merge-conflict' });
    expect(tasks.retry(id)).toMatchObject({ status: 'succeeded' });
    expect(tally()).toHaveLength(3);
  };
  await withFleetBench(join(tempDir(), 'fleet'), use, {}, carrel);
});
