import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import { createCarrel } from '../../helpers/carrel.js';
import { essenceOf, indexOf, withFleetBench, writeWaitingTasks } from '../../helpers/fleet/fleet-bench.js';
import { usePostgres } from '../../helpers/fleet/postgres.js';
import { writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor } from '../../helpers/wait-for.js';

const postgres = usePostgres();

/** A killed host is noticed after 13 seconds, and a busy machine starts a worker in ten. */
vi.setConfig({ testTimeout: 300_000 });

const withBench: WithBench = async (use, variables) =>
  withFleetBench(await postgres.createDatabase(), use, variables);

type WithBench = (
  use: Parameters<typeof withFleetBench>[1],
  variables?: Record<string, string>,
) => Promise<void>;

test('three workers give the same results as one machine', async () => {
  await withBench(async bench => {
    for (const name of ['one', 'two', 'three']) await bench.startWorker(name);
    const words = ['--dataset', 'golden', '--sample', '9', '--shuffle', '7', '--agent', 'oracle'];
    const options = ['--isolation', 'worktree', '--parallelism', '3'];
    const { stdout } = await bench.startBatch('run', ...words, ...options);
    const fleet = JSON.parse(stdout) as BatchRun;
    const local = bench.submitter.json<BatchRun>(bench.submitter.home, 'eval', 'run', ...words, ...options);
    expect(essenceOf(fleet)).toEqual(essenceOf(local));
    expect(fleet.totals).toMatchObject({ passed: 9 });
  });
});

test('the attempts of a killed worker run elsewhere, and each is recorded once', async () => {
  await withBench(async bench => {
    const tasks = writeWaitingTasks(4);
    const killed = await bench.startWorker('killed', '--slots', '2');
    const batch = bench.startBatch('run', ...tasks.words, '--parallelism', '4');
    await tasks.untilBegun(2);
    killed.process.child.kill('SIGKILL');
    await bench.startWorker('other', '--slots', '4');
    await tasks.untilBegun(4);
    await waitFor('the second claims', () => {
      const id = bench.findRun();
      const claims = id === undefined ? [] : bench.show(id).claims;
      return claims.filter(({ claim }) => claim === 2).length === 2 || undefined;
    });
    tasks.letFinish();
    const run = JSON.parse((await batch).stdout) as BatchRun;
    expect(run.totals).toMatchObject({ passed: 4 });
    expect(indexOf(run.directory)).toHaveLength(4);
  });
});

test.for(['on the fleet', 'here'])('a run whose coordinator was killed is resumed %s', where =>
  withBench(async bench => {
    const tasks = writeWaitingTasks(3);
    const worker = await bench.startWorker('one', '--slots', '2');
    const batch = bench.startBatch('run', ...tasks.words, '--parallelism', '2');
    await tasks.untilBegun(2);
    batch.child.kill('SIGKILL');
    await batch;
    tasks.letFinish();
    const id = (await waitFor('the run', bench.findRun)) as string;
    await waitFor('the results', () => bench.show(id).jobs.done === 3 || undefined);
    if (where === 'here') worker.process.child.kill('SIGTERM');
    const resumed =
      where === 'here'
        ? bench.resumeHere(id)
        : (JSON.parse((await bench.startBatch('resume', id)).stdout) as BatchRun);
    expect(resumed).toMatchObject({ status: 'finished', totals: { passed: 3 } });
    expect(indexOf(resumed.directory)).toHaveLength(3);
    expect(tasks.begun('wait-1')).toBe(where === 'here' ? 2 : 1);
    const again = JSON.parse((await bench.startBatch('resume', id)).stdout) as BatchRun;
    expect(again.attempts).toEqual(resumed.attempts);
  }),
);

test('Ctrl-C lets running attempts finish and starts no more; resume does the rest', async () => {
  await withBench(async bench => {
    const tasks = writeWaitingTasks(4);
    await bench.startWorker('one', '--slots', '2');
    const batch = bench.startBatch('run', ...tasks.words, '--parallelism', '2');
    await tasks.untilBegun(2);
    batch.child.kill('SIGINT');
    const id = (await waitFor('the run', bench.findRun)) as string;
    await waitFor('the cancelled jobs', () => bench.show(id).jobs.cancelled === 2 || undefined);
    tasks.letFinish();
    const { status, stdout } = await batch;
    expect(status).toBe(130);
    const stopped = JSON.parse(stdout) as BatchRun;
    expect(stopped).toMatchObject({ status: 'stopped', totals: { passed: 2, cancelled: 0 } });
    const resumed = JSON.parse((await bench.startBatch('resume', id)).stdout) as BatchRun;
    expect(resumed).toMatchObject({ status: 'finished', totals: { passed: 4 } });
    expect(indexOf(resumed.directory)).toHaveLength(4);
  });
});

test('a second Ctrl-C stops the agents on their hosts, and resume repeats their attempts', async () => {
  await withBench(async bench => {
    const tasks = writeWaitingTasks(2);
    await bench.startWorker('one', '--slots', '2');
    const batch = bench.startBatch('run', ...tasks.words, '--parallelism', '2');
    await tasks.untilBegun(2);
    batch.child.kill('SIGINT');
    const id = (await waitFor('the run', bench.findRun)) as string;
    await waitFor('the drain', () => bench.show(id).state === 'cancelled' || undefined);
    batch.child.kill('SIGINT');
    const stopped = JSON.parse((await batch).stdout) as BatchRun;
    expect(stopped.totals).toMatchObject({ passed: 0, cancelled: 2 });
    tasks.letFinish();
    const resumed = JSON.parse((await bench.startBatch('resume', id)).stdout) as BatchRun;
    expect(resumed).toMatchObject({ status: 'finished', totals: { passed: 2 } });
  });
});

test('a drained worker finishes what it has and exits, and a stopped one gives it back', async () => {
  await withBench(async bench => {
    const tasks = writeWaitingTasks(3);
    const drained = await bench.startWorker('drained');
    const batch = bench.startBatch('run', ...tasks.words, '--parallelism', '3');
    await tasks.untilBegun(1);
    const stopped = await bench.startWorker('stopped');
    await tasks.untilBegun(2);
    stopped.process.child.kill('SIGTERM');
    bench.submitter.ok(bench.submitter.home, 'fleet', 'drain', 'drained', '--on', bench.address);
    stopped.process.child.kill('SIGTERM');
    expect(await stopped.process).toMatchObject({ status: 143 });
    await bench.startWorker('other', '--slots', '2');
    tasks.letFinish();
    const run = JSON.parse((await batch).stdout) as BatchRun;
    expect(run.totals).toMatchObject({ passed: 3 });
    expect(await drained.process).toMatchObject({ status: 0 });
    const done = new Map(run.attempts.map(({ taskId, environment }) => [taskId, environment.host]));
    expect(done.size).toBe(3);
  });
});

test('a worker without the key of an agent leaves its jobs, says why, and one with the key takes them', async () => {
  await withBench(
    async bench => {
      const agent = { command: 'test -n "$LAB_KEY" && echo made > made.txt', passEnvironment: ['LAB_KEY'] };
      writeFiles(bench.submitter.home, {
        'config/carrel/config.yaml': stringify({ agents: { lab: agent } }),
      });
      const { dataset } = writeWaitingTasks(1);
      await bench.startWorker('bare');
      const words = ['--dataset', dataset, '--agent', 'lab', '--isolation', 'none'];
      const batch = bench.startBatch('run', ...words);
      const id = (await waitFor('the run', bench.findRun)) as string;
      const [left] = await waitFor('the reason', () => {
        const found = bench.show(id).left;
        return found.length > 0 ? found : undefined;
      });
      expect(left?.reason).toMatch(/needs LAB_KEY in the environment of this worker$/);
      const file = join(tempDir(), 'keys.env');
      writeFileSync(file, 'LAB_KEY=own-value\n', { mode: 0o600 });
      await bench.startWorker('with-key', '--env-file', file);
      expect(JSON.parse((await batch).stdout)).toMatchObject({ totals: { passed: 1 } });
    },
    { LAB_KEY: 'a-value-that-stays' },
  );
});

test('jobs of a submitter that a worker does not know wait for one that does', async () => {
  await withBench(async bench => {
    const tasks = writeWaitingTasks(1);
    tasks.letFinish();
    await bench.startWorkerOf(createCarrel(tempDir()), '--name', 'stranger');
    const batch = bench.startBatch('run', ...tasks.words, '--parallelism', '1');
    const id = (await waitFor('the run', bench.findRun)) as string;
    const [left] = await waitFor('the reason', () => {
      const found = bench.show(id).left;
      return found.length > 0 ? found : undefined;
    });
    expect(left?.reason).toMatch(
      /comes from ed25519:.* which is not among the keys that this worker accepts$/,
    );
    await bench.startWorker('one');
    expect(JSON.parse((await batch).stdout)).toMatchObject({ totals: { passed: 1 } });
  });
});
