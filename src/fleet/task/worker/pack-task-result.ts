import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../../domain/error/error.js';
import { canonicalJson } from '../../../domain/fleet/canonical-json.js';
import type { TaskJob } from '../../../domain/fleet/task-job.js';
import { type TaskResult, TaskResultSchema } from '../../../domain/fleet/task-result.js';
import type { Stage, TaskRecord } from '../../../domain/task/task.js';
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
    ...(failure && { failure }),
    stages: stages.map(withoutWorkspace),
    warnings: [...task.warnings, ...work.warnings],
    bundle: await packBranches(context, store, ended, options),
    log: await packLog(context, store, ended, options),
    events: events.filter(({ type }) => type.startsWith('stage.')).map(({ type, data }) => ({ type, data })),
  };
  const manifest = canonicalJson(TaskResultSchema.parse(result));
  return uploadBytes(store, Buffer.from(withSubmittedId(manifest, ended)), options);
}

/** Work that was not joined yet is on another branch, which the next host does not have: it is done again. */
const withoutWorkspace = (stage: Stage): Stage => ({
  ...stage,
  workspaceName: null,
  ...(stage.status !== 'succeeded' && { commit: null }),
});

/** An execution that threw leaves its task interrupted. */
const statusOf = ({ status }: TaskRecord): TaskResult['status'] =>
  ENDINGS.find(ending => ending === status) ?? 'failed';

const ENDINGS = ['succeeded', 'cancelled', 'waiting-for-approval'] as const;

/** Messages and hints name the task as its submitter knows it. */
const withSubmittedId = (text: string, { task, job }: EndedTask): string =>
  text.replaceAll(task.id, job.task);

async function packLog(
  { places }: Pick<Context, 'places'>,
  store: BlobStore,
  ended: EndedTask,
  options: BlobOptions,
): Promise<TaskResult['log']> {
  const { logFile } = taskPlace(places.stateDir, ended.task.id);
  const text = await readFile(logFile, 'utf8').catch(ignoreMissing);
  if (text === undefined) return null;
  const bytes = Buffer.from(withSubmittedId(text, ended));
  return { hash: await uploadBytes(store, bytes, options), size: bytes.length };
}

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
    const { size } = await stat(file);
    return { hash: await uploadFile(store, file, options), size };
  });
