import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openApp } from '../../../src/app.js';
import type { AgentChoice } from '../../../src/batch/agents/resolve-eval-agent.js';
import { planBatch } from '../../../src/batch/plan/plan-batch.js';
import { createRun } from '../../../src/batch/record/run-store.js';
import type { AttemptIsolation } from '../../../src/domain/batch/attempt.js';
import type { SignedJob } from '../../../src/domain/fleet/job.js';
import type { BlobStore } from '../../../src/fleet/artifacts/blob-store.js';
import {
  openDirectoryStore,
  prepareDirectory,
} from '../../../src/fleet/artifacts/directory/directory-store.js';
import { openJobRunner, type RunControl } from '../../../src/fleet/travel/job-runner.js';
import { packResult } from '../../../src/fleet/travel/result/pack-result.js';
import { openSubmitter } from '../../../src/fleet/travel/submit-item.js';
import { admitJob } from '../../../src/fleet/travel/trust/admit-job.js';
import { openClaimMemory } from '../../../src/fleet/travel/trust/claim-memory.js';
import { loadSubmitterKey } from '../../../src/fleet/travel/trust/submitter-key.js';
import { nameOfClaim } from '../../../src/fleet/travel/trust/worker-terms.js';
import { createCarrel } from '../carrel.js';
import { tempDir } from '../temp.js';

export type Machine = Awaited<ReturnType<typeof openMachine>>;

/** A machine of a fleet: Carrel with its own state, cache, home and variables. */
export async function openMachine(variables: Readonly<Record<string, string>> = {}) {
  const { env, home } = createCarrel(tempDir(), variables);
  const context = await openApp({ environment: env, cwd: home, narrate: () => undefined });
  onTestFinished(() => context.close());
  return { context, home };
}

export async function openSharedStore(): Promise<BlobStore> {
  const root = join(tempDir(), 'blobs');
  await prepareDirectory(root);
  return openDirectoryStore(root);
}

export interface Submission {
  readonly dataset: string;
  readonly agent: AgentChoice;
  readonly taskIds?: readonly string[] | undefined;
  readonly isolation?: AttemptIsolation | undefined;
}

/** Plans a run on the submitter, and gives a signed job for each first attempt. */
export async function submitRun({ context }: Machine, store: BlobStore, submission: Submission) {
  const { dataset, agent: choice, taskIds, isolation = 'worktree' } = submission;
  const { plan, items, agent } = await planBatch(context, {
    ...{ dataset, agent: choice, filter: { taskIds }, isolation },
    ...{ repositoryRoot: null, attempts: 1, parallelism: 2 },
  });
  const run = await createRun(context, plan);
  onTestFinished(() => run.close());
  const key = await loadSubmitterKey(context);
  const deadline = new Date(Date.now() + 600_000);
  const submitter = await openSubmitter(context, { plan, agent, store, key, labels: [], deadline });
  const jobs = [];
  for (const item of items) jobs.push(await submitter.submit(item, 1, null));
  return { run, jobs, items, agent, key };
}

/** A worker that accepts everything of one submitter. */
export async function startWorker({ context }: Machine, store: BlobStore, publicKey: string) {
  const runner = await openJobRunner(context, { store, slots: 2 });
  onTestFinished(() => runner.close());
  const memory = openClaimMemory(context);
  const terms = {
    ...{ keys: [publicKey], allow: 'none' as const, labels: [], carrel: '0.1.0' },
    ...{ isRoot: true, allowRoot: true },
  };
  const control: RunControl = { requireOurs: () => undefined, stop: new AbortController().signal };
  let rows = 0;
  /** Claims, admits, runs and uploads a job; gives what the engine would record. */
  const work = async (signed: SignedJob, given: Partial<RunControl> = {}) => {
    const { run, task: taskId, attempt: number } = signed;
    const job0 = { key: { run, task: taskId, attempt: number } };
    const claim = { id: `row${++rows}`, number: 1, job: job0 };
    const job = await admitJob(signed, terms, { now: context.now, memory, claim });
    const ran = await runner.run(job, claim, { ...control, ...given });
    const { hash } = await packResult(store, claim, ran);
    const { task, attempt, identity } = job;
    const expected = { claim: nameOfClaim(claim), task, attempt, identity, manifest: hash };
    return { ran, claim, expected };
  };
  return { runner, work };
}
