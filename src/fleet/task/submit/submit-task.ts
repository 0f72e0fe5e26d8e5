import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { readOwnVersion } from '../../../batch/plan/describe-environment.js';
import { carrelError, ignoreMissing } from '../../../domain/error/error.js';
import { canonicalJson } from '../../../domain/fleet/canonical-json.js';
import type { SignedTaskJob, TaskJob } from '../../../domain/fleet/task-job.js';
import { createId } from '../../../domain/id.js';
import type { PlannedFleet, TaskRecord } from '../../../domain/task/task.js';
import { withScratchDirectory } from '../../../git/disk/scratch-directory.js';
import { readRef, resolveCommit } from '../../../git/refs/refs.js';
import type { Context } from '../../../operations/context.js';
import { locateRepository } from '../../../operations/repository/locate-repository.js';
import { claimTask } from '../../../task/queue/take-turn.js';
import { stopTask } from '../../../task/record/stop-task.js';
import { taskPlace } from '../../../task/record/task-place.js';
import type { BlobStore } from '../../artifacts/blob-store.js';
import { uploadFile } from '../../artifacts/upload-blob.js';
import { JOB_LIFE_MS } from '../../coordinator/rounds.js';
import type { Engine } from '../../engine/engine.js';
import { signTaskJob } from '../../travel/trust/sign-job.js';
import { loadSubmitterKey } from '../../travel/trust/submitter-key.js';
import { type Origin, packHistory } from '../travel/history.js';
import { packOrder } from './pack-order.js';

export interface Submission {
  readonly engine: Pick<Engine, 'submit'>;
  readonly store: BlobStore;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Submits a waiting task. Its run is recorded before the fleet knows it; after that the task has no owner here. A task
 * that could not be submitted is interrupted. TASK_BUSY, BASE_UNAVAILABLE, FLEET_UNAVAILABLE.
 */
export async function submitTask(
  context: Context,
  waiting: TaskRecord,
  submission: Submission,
): Promise<TaskRecord> {
  const claimed = await claimTask(context, waiting);
  try {
    // Without a heartbeat it is not in the queue of this machine, where others would wait for it.
    return await submitClaimed(context, await change(context, claimed, { heartbeatAt: null }), submission);
  } catch (error) {
    const left = await context.store.tasks.find(claimed.id);
    if (left?.owner) await stopTask(context, left, 'interrupted').catch(() => undefined);
    throw error;
  }
}

async function submitClaimed(
  context: Context,
  task: TaskRecord,
  { engine, store, signal }: Submission,
): Promise<TaskRecord> {
  const run = createId('run', context.ids);
  const job = await packJob(context, task, { run, store, signal });
  const { logFile } = taskPlace(context.places.stateDir, task.id);
  const logBytes = (await stat(logFile).catch(ignoreMissing))?.size ?? 0;
  const fleet = { ...(task.plan.fleet as PlannedFleet), logBytes, start: job.base.commit };
  const recorded = await change(context, task, {
    fleet: { name: task.fleet?.name ?? '', run, host: null },
    plan: { ...task.plan, fleet },
  });
  context.onStep('task', 'run-recorded');
  const { run: _, task: id, attempt, labels } = job;
  const plan = JSON.stringify({ task: id, description: task.description.slice(0, 200) });
  const entry = {
    key: { run, task: id, attempt },
    priority: task.priority,
    labels,
    body: canonicalJson(job),
  };
  await engine.submit({ run, parallelism: 1, costLimitUsd: job.capUsd, plan }, [entry]);
  context.onStep('task', 'submitted');
  return change(context, recorded, { owner: null, heartbeatAt: null });
}

async function change(
  { store }: Pick<Context, 'store'>,
  task: TaskRecord,
  patch: Partial<TaskRecord>,
): Promise<TaskRecord> {
  const changed = await store.tasks.update(task.id, { statuses: ['waiting'], owner: task.owner }, patch, []);
  if (changed) return changed;
  throw carrelError('TASK_BUSY', { id: task.id, status: 'changed by another process', wanted: 'submitted' });
}

interface JobRequest extends Omit<Submission, 'engine'> {
  readonly run: string;
}

async function packJob(
  context: Context,
  task: TaskRecord,
  { run, store, signal }: JobRequest,
): Promise<SignedTaskJob> {
  const origin = await findOrigin(context, task);
  const bundle = await withScratchDirectory(context.places.temporaryRoot, async scratch =>
    uploadFile(store, await packHistory(context, origin, scratch, signal), { signal }),
  );
  const job: Omit<TaskJob, 'submitter'> = {
    ...{ kind: 'task', run, task: task.id, attempt: task.runs.length + 1 },
    order: await packOrder(context, store, task, { signal }),
    base: { commit: origin.commit, bundle },
    capUsd: findCap(task),
    isolation: task.isolation.requested === 'full' ? 'full' : 'worktree',
    deadline: new Date(context.now() + JOB_LIFE_MS).toISOString(),
    labels: [...(task.plan.fleet?.labels ?? [])],
    versions: { carrel: readOwnVersion(), agent: null },
    nonce: randomBytes(16).toString('hex'),
  };
  return signTaskJob(job, await loadSubmitterKey(context));
}

/** What is left of its cost limit; a worker reserves it before it begins. */
function findCap({ plan, usage }: TaskRecord): number | null {
  const { costUsd: limit } = plan.limits;
  return limit === undefined ? null : Math.max(0, limit - (usage.costUsd ?? 0));
}

/** The branch that came back last, or its commit; before any work, the base. */
async function findOrigin(context: Context, { repository, branch, head, base }: TaskRecord): Promise<Origin> {
  const { commonDir } = await locateRepository(context, repository);
  const place = { gitDir: commonDir ?? '' };
  const tip = branch === null ? undefined : await readRef(context.git, place, `refs/heads/${branch}`);
  for (const name of [tip, head, base]) {
    const commit = name ? await resolveCommit(context.git, place, name) : undefined;
    if (commit !== undefined && commonDir !== null) return { commonDir, commit };
  }
  throw carrelError('BASE_UNAVAILABLE', {
    base: base ?? repository,
    reason: 'git no longer has this commit',
  });
}
