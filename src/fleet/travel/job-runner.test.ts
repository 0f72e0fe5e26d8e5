import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { writeDataset } from '../../../test/helpers/batch/eval-bench.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import {
  openMachine,
  openSharedStore,
  type Submission,
  startWorker,
  submitRun,
} from '../../../test/helpers/fleet/travel-bench.js';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { carrelError } from '../../domain/error/error.js';
import { signJob } from './trust/sign-job.js';

const item: EvalItem = {
  id: 'made',
  description: 'make it',
  base: { kind: 'files', files: { 'a.txt': 'a\n' } },
  graders: [{ kind: 'command', run: 'test -e made.txt' }],
};

async function startFleet(submission: Partial<Submission>, variables: Record<string, string> = {}) {
  const store = await openSharedStore();
  const home = tempDir();
  const agents = {
    keyed: { command: 'printenv MY_API_KEY; : > made.txt', environment: { MY_API_KEY: KEY } },
  };
  writeFiles(home, { 'config/carrel/config.yaml': stringify({ agents }) });
  const submitter = await openMachine({ XDG_CONFIG_HOME: join(home, 'config') });
  const wanted = { dataset: writeDataset([item]), agent: 'nop', ...submission };
  const { jobs, key } = await submitRun(submitter, store, wanted);
  const [job] = jobs;
  if (!job) throw new Error('expected a job');
  return { job, key, ...(await startWorker(await openMachine(variables), store, key.publicKey)) };
}

const KEY = 'k-1a2b3c4d5e6f7a8b9c0d';

test('a claim that is lost before the agent starts runs nothing', async () => {
  const mark = join(tempDir(), 'mark');
  const { job, work } = await startFleet({ agent: `: > ${mark}; : > made.txt` });
  const lost = new AbortController();
  const requireOurs = () => {
    lost.abort();
    throw carrelError('RUN_LOST', { id: job.run, directory: '' });
  };
  const { ran } = await work(job, { requireOurs, stop: lost.signal });
  expect(ran.attempt).toMatchObject({ outcome: 'cancelled', patchPath: null });
  expect(existsSync(mark)).toBe(false);
});

test('stopping ends a running agent, and its attempt is cancelled', async () => {
  const mark = join(tempDir(), 'mark');
  const { job, work } = await startFleet({ agent: `: > ${mark}; sleep 600` });
  const stop = new AbortController();
  const phases: string[] = [];
  const working = work(job, { stop: stop.signal, onPhase: phase => phases.push(phase) });
  await waitFor('the agent', () => existsSync(mark) || undefined);
  stop.abort();
  expect((await working).ran.attempt.outcome).toBe('cancelled');
  expect(phases).toEqual(expect.arrayContaining(['acquire', 'setup', 'agent', 'release']));
});

test("an agent gets the worker's value of a secret, and neither value travels", async () => {
  const own = 'worker-value-0123456789';
  const { job, work } = await startFleet({ agent: 'keyed' }, { MY_API_KEY: own });
  const { ran } = await work(job);
  expect(ran.attempt.outcome).toBe('passed');
  const log = readFileSync(join(ran.directory, 'agent.log'), 'utf8');
  expect(log).toContain('[redacted]');
  expect(log + JSON.stringify(ran.attempt)).not.toMatch(new RegExp(`${own}|${KEY}`));
});

test('a worker that lacks a key says which, and runs nothing', async () => {
  const { job, work } = await startFleet({ agent: 'keyed' });
  await expect(work(job)).rejects.toMatchObject({
    code: 'JOB_KEYS_MISSING',
    message: expect.stringContaining('MY_API_KEY'),
  });
});

test('a job whose identity does not fit its item and agent is refused', async () => {
  const { job, key, work } = await startFleet({});
  const { signature: _, submitter: __, ...rest } = job;
  const changed = signJob({ ...rest, identity: 'another' }, key);
  await expect(work(changed)).rejects.toMatchObject({ code: 'JOB_INVALID' });
});

thoroughTest('the agent knows what it may spend', async () => {
  const agent = 'test "$CARREL_BUDGET_USD" = 0.75 && : > made.txt';
  const { job, key, work } = await startFleet({ agent });
  const { signature: _, submitter: __, ...rest } = job;
  const { ran } = await work(signJob({ ...rest, capUsd: 0.75, nonce: '1'.repeat(32) }, key));
  expect(ran.attempt.outcome).toBe('passed');
});

thoroughTest(
  'a bundle with other files than the job says is an infrastructure failure, not a wrong result',
  async () => {
    const { job, key, work } = await startFleet({});
    const { signature: _, submitter: __, ...rest } = job;
    const base = { ...rest.base, commit: 'f'.repeat(40) };
    const { ran } = await work(signJob({ ...rest, base }, key));
    expect(ran.attempt).toMatchObject({
      outcome: 'infrastructure',
      message: expect.stringContaining('f'.repeat(40)),
    });
  },
);
