import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../../domain/error/error.js';
import { canonicalJson } from '../../../domain/fleet/canonical-json.js';
import type { TaskJob } from '../../../domain/fleet/task-job.js';
import { type TaskResult, TaskResultSchema } from '../../../domain/fleet/task-result.js';
import type { TaskRecord } from '../../../domain/task/task.js';
import { withScratchDirectory } from '../../../git/disk/scratch-directory.js';
import type { Context } from '../../../operations/context.js';
import { taskPlace } from '../../../task/record/task-place.js';
import type { BlobOptions, BlobStore } from '../../artifacts/blob-store.js';
import { uploadBytes, uploadFile } from '../../artifacts/upload-blob.js';
import { type ClaimName, nameOfClaim } from '../../travel/trust/worker-terms.js';
import { packOutputs } from '../travel/outputs.js';
import type { CollectedWork } from './collect-work.js';

export interface EndedTask {
  readonly job: TaskJob;
  readonly claim: ClaimName;
  /** In its final state, as this host has it. */
  readonly task: TaskRecord;
  readonly commonDir: string;
  readonly work: CollectedWork;
}

/** Events that a result may have. */
const MOST_EVENTS = 5000;

/** Stores everything that comes of a task, and returns the hash of the manifest that names it. */
export async function packTaskResult(
  context: Context,
  store: BlobStore,
  ended: EndedTask,
  options: BlobOptions,
): Promise<string> {
  const { job, claim, task, work } = ended;
  const { stages, outputs } = await packOutputs(context, store, task, options);
  const { validation, usage, failure, isolation, endedAt } = task;
  const events = await context.store.events.list({ taskId: task.id, limit: MOST_EVENTS });
  const result: TaskResult = {
    ...{ claim: nameOfClaim(claim), task: job.task, status: statusOf(task) },
    startedAt: task.runs.at(-1)?.startedAt ?? task.createdAt,
    ...{ isolation, validation, usage, endedAt, outputs, branches: work.branches },
    ...(failure && { failure: withId(failure, task.id, job.task) }),
    stages: stages.map(stage => ({ ...stage, workspaceName: null })),
    warnings: [...task.warnings, ...work.warnings],
    bundle: await packBranches(context, store, ended, options),
    log: await packFile(store, taskPlace(context.places.stateDir, task.id).logFile, options),
    events: events.filter(({ type }) => type.startsWith('stage.')).map(({ type, data }) => ({ type, data })),
  };
  const manifest = canonicalJson(TaskResultSchema.parse(result));
  return uploadBytes(store, Buffer.from(manifest), options);
}

/** An execution that threw leaves its task interrupted. */
const statusOf = ({ status }: TaskRecord): TaskResult['status'] =>
  status === 'succeeded' || status === 'cancelled' ? status : 'failed';

/** Hints name the task as its submitter knows it. */
const withId = <T extends { readonly hint: string }>(failure: T, own: string, submitted: string): T => ({
  ...failure,
  hint: failure.hint.replaceAll(own, submitted),
});

/** Only what the submitter does not have. */
const packBranches = (
  { git, places }: Pick<Context, 'git' | 'places'>,
  store: BlobStore,
  { job, work, commonDir }: EndedTask,
  options: BlobOptions,
): Promise<TaskResult['bundle']> =>
  withScratchDirectory(places.temporaryRoot, async scratch => {
    if (work.branches.length === 0) return null;
    const file = join(scratch, 'work.bundle');
    const refs = work.branches.map(({ branch }) => `refs/heads/${branch}`);
    const words = ['bundle', 'create', '--quiet', file, ...refs, `^${job.base.commit}`];
    await git.run(words, { gitDir: commonDir, signal: options.signal });
    return packFile(store, file, options);
  });

async function packFile(store: BlobStore, file: string, options: BlobOptions): Promise<TaskResult['log']> {
  const stats = await stat(file).catch(ignoreMissing);
  return stats ? { hash: await uploadFile(store, file, options), size: stats.size } : null;
}
