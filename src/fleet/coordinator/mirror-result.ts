import { type RefusedWork, refuseAttempt } from '../../batch/attempt/run-item-attempt.js';
import type { AttemptJob } from '../../batch/plan/resume-plan.js';
import type { OpenRun } from '../../batch/record/run-store.js';
import type { Attempt } from '../../domain/batch/attempt.js';
import { isFinal } from '../../domain/batch/outcome-rules.js';
import { isCarrelError } from '../../domain/error/error.js';
import type { BlobStore } from '../artifacts/blob-store.js';
import type { JobResult } from '../engine/job.js';
import { bringBack } from '../travel/result/bring-back.js';
import { type ResultRecord, ResultRecordSchema } from '../worker/result-record.js';

export interface Mirror {
  readonly run: OpenRun;
  readonly store: BlobStore;
  /** For the records of attempts that no host could finish. */
  readonly work: RefusedWork;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes a result of the fleet into the run's directory; again has no effect. Undefined when the run has a newer
 * or a final one, or when the result is of other work than the job. A job that was given up, or whose files are damaged, becomes an
 * infrastructure failure: `eval resume` repeats it.
 */
export async function mirrorResult(
  mirror: Mirror,
  job: AttemptJob,
  result: JobResult,
): Promise<Attempt | undefined> {
  const record = result.record === null ? undefined : parseRecord(result.record);
  if (record && record.identity !== job.identity) return undefined;
  const startedAt = record?.startedAt ?? new Date(result.recordedAt).toISOString();
  if (isKnown(mirror.run, job, { startedAt, part: record?.part })) return undefined;
  // Work that could not be graded is still to be graded.
  const isUngraded = findBefore(mirror.run, job)?.awaitsGrading === true;
  if (!record) {
    const problem = result.gaveUp ?? 'its record cannot be read';
    return isUngraded ? undefined : refuse(mirror, job, result, problem);
  }
  try {
    return await bring(mirror, job, record);
  } catch (error) {
    if (!isCarrelError(error) || !DAMAGED.has(error.code)) throw error;
    return isUngraded ? undefined : refuse(mirror, job, result, error.message);
  }
}

const DAMAGED: ReadonlySet<string> = new Set(['RESULT_REFUSED', 'BLOB_CORRUPT', 'BLOB_MISSING']);

function parseRecord(text: string): ResultRecord | undefined {
  try {
    return ResultRecordSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const findBefore = (run: OpenRun, { item, attempt }: Pick<AttemptJob, 'item' | 'attempt'>) =>
  run.attempts().find(each => each.taskId === item.id && each.attempt === attempt);

/** A final result of the same work stays, also when another one is newer. */
function isKnown(
  run: OpenRun,
  { item, attempt, identity }: AttemptJob,
  { startedAt, part }: { readonly startedAt: string; readonly part: ResultRecord['part'] },
): boolean {
  const before = findBefore(run, { item, attempt });
  if (!before) return false;
  // A grading has the time of its work, which it completes.
  if (part === 'grade' && before.awaitsGrading && before.startedAt === startedAt) return false;
  return before.startedAt >= startedAt || (isFinal(before.outcome) && before.identity === identity);
}

const bring = ({ run, store, signal }: Mirror, job: AttemptJob, record: ResultRecord): Promise<Attempt> =>
  bringBack(
    run,
    store,
    {
      ...{ claim: record.claim, task: job.item.id, attempt: job.attempt },
      ...{ identity: job.identity, manifest: record.manifest },
    },
    { signal },
  );

/** With the time of the fleet's record, so that it is not recorded again. */
async function refuse(
  { run, work }: Mirror,
  job: AttemptJob,
  { recordedAt, host }: JobResult,
  problem: string,
): Promise<Attempt> {
  const context = { ...work.context, now: () => recordedAt };
  const attempt = refuseAttempt({ ...work, context }, job, `${problem} (last on ${host})`);
  await run.record(attempt);
  return attempt;
}
