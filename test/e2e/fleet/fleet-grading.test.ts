import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import type { RunSummary } from '../../../src/fleet/engine/run.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { indexOf, withFleetBench, writeWaitingTasks } from '../../helpers/fleet/fleet-bench.js';
import { writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor } from '../../helpers/wait-for.js';

test('workers with a label grade the work of others, and need neither the agent nor its key', async () => {
  const variables = { LAB_KEY: 'a-value-that-stays' };
  await withFleetBench(
    join(tempDir(), 'fleet'),
    async bench => {
      const agent = { command: 'test -n "$LAB_KEY" && echo made > made.txt', passEnvironment: ['LAB_KEY'] };
      const files = { 'config/carrel/config.yaml': stringify({ agents: { lab: agent } }) };
      writeFiles(bench.submitter.home, files);
      const keys = tempDir();
      writeFiles(keys, { 'keys.env': 'LAB_KEY=own-value\n' });
      // The first can't grade, and the second can't run the agent.
      await bench.startWorker('agents', '--slots', '2', '--env-file', join(keys, 'keys.env'));
      await bench.startWorker('graders', '--label', 'grading');
      const words = ['--dataset', writeWaitingTasks(2).dataset, '--agent', 'lab', '--isolation', 'worktree'];
      const batch = bench.startBatch('run', ...words, '--parallelism', '2', '--grade-on', 'grading');
      const { status, stdout, stderr } = await batch;
      expect(status, stderr).toBe(0);
      const run = JSON.parse(stdout) as BatchRun;
      expect(run).toMatchObject({ status: 'finished', totals: { passed: 2, errors: 0 } });
      expect(indexOf(run.directory).map(({ outcome }) => outcome)).toEqual([
        ...['infrastructure', 'infrastructure', 'passed', 'passed'],
      ]);
      const { runs } = bench.submitter.json<{ runs: RunSummary[] }>(
        bench.submitter.home,
        ...['fleet', 'ls', '--on', bench.address],
      );
      expect(runs.map(({ jobs, acknowledged }) => [jobs.done, acknowledged])).toEqual([
        [2, 2],
        [2, 2],
      ]);
    },
    variables,
  );
});

thoroughTest('work whose graders never came is graded here, and the agent does not work again', async () => {
  await withFleetBench(join(tempDir(), 'fleet'), async bench => {
    const tasks = writeWaitingTasks(1);
    tasks.letFinish();
    await bench.startWorker('agents');
    const batch = bench.startBatch('run', ...tasks.words, '--grade-on', 'missing');
    const id = await waitFor('the job of a grader', () => {
      const words = ['fleet', 'ls', '--on', bench.address];
      const { runs } = bench.submitter.json<{ runs: RunSummary[] }>(bench.submitter.home, ...words);
      return runs.length === 2 && runs[0]?.jobs.open === 1 ? runs[1]?.run : undefined;
    });
    batch.child.kill('SIGKILL');
    await batch;
    expect(bench.resumeHere(id)).toMatchObject({ status: 'finished', totals: { passed: 1 } });
    expect(tasks.begun('wait-1')).toBe(1);
  });
});
