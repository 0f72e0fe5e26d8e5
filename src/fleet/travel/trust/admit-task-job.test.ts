import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/helpers/temp.js';
import type { TaskJob } from '../../../domain/fleet/task-job.js';
import { admitJob, admitTaskJob } from './admit-job.js';
import { openClaimMemory } from './claim-memory.js';
import { signTaskJob } from './sign-job.js';
import { loadSubmitterKey } from './submitter-key.js';
import type { WorkerTerms } from './worker-terms.js';

const NOW = Date.parse('2026-05-01T00:00:00Z');

const placesOf = (stateDir: string) => ({
  places: { stateDir, cacheDir: stateDir, userConfigFile: '', temporaryRoot: stateDir },
});

const job: Omit<TaskJob, 'submitter'> = {
  ...{ kind: 'task', run: 'run_0123456789abcdef', task: 'task_0123456789abcdef', attempt: 1 },
  order: 'a'.repeat(64),
  base: { commit: 'd'.repeat(40), bundle: 'e'.repeat(64) },
  isolation: 'full',
  capUsd: 2,
  deadline: '2026-05-02T00:00:00Z',
  labels: [],
  versions: { carrel: '0.1.0', agent: null },
  nonce: '0'.repeat(32),
};

async function openWorker() {
  const key = await loadSubmitterKey(placesOf(tempDir()));
  const terms: WorkerTerms = {
    ...{ keys: [key.publicKey], allow: 'full', labels: [], carrel: '0.1.0' },
    ...{ isRoot: false, allowRoot: false },
  };
  const memory = openClaimMemory({ ...placesOf(tempDir()), now: () => NOW });
  const row = { key: { run: job.run, task: job.task, attempt: 1 } };
  const place = { now: () => NOW, memory, claim: { id: 'row1', number: 1, job: row } };
  return {
    key,
    admit: (value: unknown) => admitTaskJob(value, terms, place),
    admitAsAttempt: (value: unknown) => admitJob(value, terms, place),
  };
}

test('a signed task is admitted once, and never as an attempt of a batch', async () => {
  const { key, admit, admitAsAttempt } = await openWorker();
  const signed = signTaskJob(job, key);
  await expect(admitAsAttempt(signed)).rejects.toMatchObject({ code: 'JOB_INVALID' });
  expect(await admit(JSON.parse(JSON.stringify(signed)))).toEqual({ ...job, submitter: key.publicKey });
  await expect(admit(signed)).rejects.toMatchObject({ code: 'JOB_REPLAYED' });
});

test('another order, base, budget or isolation than the signed one is refused', async () => {
  const { key, admit } = await openWorker();
  const signed = signTaskJob(job, key);
  const changes: Partial<TaskJob>[] = [
    { order: 'f'.repeat(64) },
    { base: { ...job.base, commit: 'f'.repeat(40) } },
    { base: { ...job.base, bundle: 'f'.repeat(64) } },
    { capUsd: null },
    { isolation: 'worktree' },
    { labels: ['gpu'] },
  ];
  for (const change of changes)
    await expect(admit({ ...signed, ...change })).rejects.toMatchObject({ code: 'JOB_ALTERED' });
  const weaker = signTaskJob({ ...job, isolation: 'worktree' }, key);
  await expect(admit(weaker)).rejects.toMatchObject({ code: 'JOB_ISOLATION_REFUSED' });
});
