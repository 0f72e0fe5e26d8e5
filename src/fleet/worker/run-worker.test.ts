import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openMachine, openSharedStore, submitRun } from '../../../test/helpers/fleet/travel-bench.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import { canonicalJson } from '../../domain/fleet/canonical-json.js';
import type { SignedJob } from '../../domain/fleet/job.js';
import { openEmbeddedEngine } from '../embedded/open-embedded-engine.js';
import { runWorker, type WorkerOptions } from './run-worker.js';

const GOLDEN = { dataset: 'golden', agent: 'oracle', taskIds: ['fix-typo-001'] };

/** A fleet with one submitted job, changed before it is in the database, and a worker that is given it. */
async function work(
  change: (job: SignedJob) => object,
  terms: Partial<WorkerOptions['terms']> = {},
  diskReserveBytes = 0,
) {
  const store = await openSharedStore();
  const { jobs, key, run } = await submitRun(await openMachine(), store, GOLDEN);
  const engine = await openEmbeddedEngine({ file: join(tempDir(), 'fleet.db') });
  const [job] = jobs as [SignedJob];
  const plan = { run: job.run, parallelism: 1, costLimitUsd: null, plan: '' };
  const entry = { key: { run: job.run, task: job.task, attempt: 1 }, priority: 0, labels: [] };
  await engine.submit(plan, [{ ...entry, body: canonicalJson(change(job)) }]);
  const { context } = await openMachine();
  const drain = new AbortController();
  const working = runWorker(context, {
    ...{ engine, store, name: 'one', slots: 1, diskReserveBytes },
    ...{ drain: drain.signal, stop: new AbortController().signal },
    terms: {
      ...{ keys: [key.publicKey], allow: 'none', labels: [], carrel: job.versions.carrel },
      ...{ isRoot: false, allowRoot: false, ...terms },
    },
  });
  const stop = async () => {
    drain.abort();
    await working;
    await engine.close();
    await run.close();
  };
  return { engine, run: job.run, stop };
}

async function findReason(...request: Parameters<typeof work>): Promise<string | undefined> {
  const { engine, run, stop } = await work(...request);
  const [left] = await waitFor('a reason', async () => {
    const found = (await engine.progress(run)).left;
    return found.length > 0 ? found : undefined;
  });
  await stop();
  return left?.reason;
}

test('a worker leaves a job that is unsigned or altered, and says why in a sentence', async () => {
  expect(await findReason(({ signature: _, ...job }) => job)).toMatch(/^the job is not valid: signature: /);
  expect(await findReason(job => ({ ...job, capUsd: 1000 }))).toMatch(/does not match its signature$/);
});

test('a worker leaves a job of an unknown submitter, with weak isolation, or for another machine', async () => {
  const same = (job: SignedJob) => job;
  expect(await findReason(same, { keys: [] })).toMatch(/is not among the keys that this worker accepts$/);
  expect(await findReason(same, { allow: 'full' })).toMatch(
    /asks for isolation worktree; this worker allows full/,
  );
  expect(await findReason(same, { isRoot: true })).toMatch(/is not run as root$/);
  expect(await findReason(same, { carrel: '99.0.0' })).toMatch(/needs Carrel .*; this worker has 99\.0\.0$/);
});

test('a worker with too little disk space claims nothing and shows the reason', async () => {
  const { engine, run, stop } = await work(job => job, {}, Number.MAX_SAFE_INTEGER);
  const host = await waitFor('the host', async () => (await engine.hosts()).at(0));
  expect(host).toMatchObject({ state: 'refusing', claims: [] });
  expect(host.refusing).toMatch(/free in .*; expected at least /);
  expect(await engine.progress(run)).toMatchObject({ jobs: { open: 1 }, left: [] });
  await stop();
});

test('a second worker on the same state directory is refused', async () => {
  const { context } = await openMachine();
  const store = await openSharedStore();
  const engine = await openEmbeddedEngine({ file: join(tempDir(), 'fleet.db') });
  const drain = new AbortController();
  const options: WorkerOptions = {
    ...{ engine, store, name: 'one', slots: 1, drain: drain.signal, stop: drain.signal },
    terms: { keys: [], allow: 'full', labels: [], carrel: '0.1.0', isRoot: false, allowRoot: false },
  };
  let first: Promise<void> | undefined;
  await new Promise<string>(onReady => {
    first = runWorker(context, { ...options, onReady });
  });
  const other = { ...context, self: { ...context.self, pid: 1 } };
  await expect(runWorker(other, options)).rejects.toMatchObject({ code: 'WORKER_BUSY' });
  drain.abort();
  await first;
  await engine.close();
});
