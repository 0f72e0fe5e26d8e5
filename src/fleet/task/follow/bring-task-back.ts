import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, isCarrelError } from '../../../domain/error/error.js';
import {
  type TaskResult,
  type TaskResultRecord,
  TaskResultRecordSchema,
  TaskResultSchema,
} from '../../../domain/fleet/task-result.js';
import type { Failure } from '../../../domain/task/failure.js';
import type { LogLine } from '../../../domain/task/log-line.js';
import type { Stage, TaskRecord } from '../../../domain/task/task.js';
import { withScratchDirectory } from '../../../git/disk/scratch-directory.js';
import type { Context } from '../../../operations/context.js';
import { taskPlace } from '../../../task/record/task-place.js';
import type { BlobStore } from '../../artifacts/blob-store.js';
import { downloadBlob } from '../../artifacts/download-blob.js';
import type { JobResult } from '../../engine/job.js';
import { unpackOutputs } from '../travel/outputs.js';
import { type ImportedBranches, importBranches, plannedBranch } from './import-branches.js';
import { type RecordedEnd, recordEnd } from './record-end.js';
import { writeLog } from './write-log.js';

export interface BroughtBack {
  readonly task: TaskRecord;
  /** Of this run. */
  readonly lines: readonly LogLine[];
  /** Whether all of its commits are in the repository now, without a warning. */
  readonly isComplete: boolean;
}

/**
 * Brings the result of a task back: its commits first, then its files and its log, and at last its record, by
 * compare-and-swap. So a task that has ended has everything, and doing it again, or twice at once, changes nothing. A
 * job that was given up, and a result that is damaged or refused, is a failure of the task.
 */
export async function bringTaskBack(
  context: Context,
  store: BlobStore,
  task: TaskRecord,
  result: JobResult,
): Promise<BroughtBack> {
  try {
    const record = parseRecord(task, result);
    return await withScratchDirectory(context.places.temporaryRoot, scratch =>
      bring(context, { store, task, record, scratch, host: result.host }),
    );
  } catch (error) {
    if (!isCarrelError(error, 'RESULT_REFUSED', 'BLOB_CORRUPT', 'BLOB_MISSING', 'BLOB_TOO_LARGE'))
      throw error;
    const at = new Date(result.recordedAt).toISOString();
    const failure = describeLoss(task, result, error.message);
    const end = { status: 'failed', at, startedAt: at, host: result.host, patch: { failure }, events: [] };
    return { task: await recordEnd(context, task, end as RecordedEnd), lines: [], isComplete: false };
  }
}

const describeLoss = ({ id }: TaskRecord, { host }: JobResult, problem: string): Failure => ({
  kind: 'workspace-lost',
  stage: null,
  message: `the fleet could not finish the task: ${problem} (last on ${host})`,
  hint: `carrel task retry ${id}`,
  output: null,
});

const refused = (claim: string, problem: string) => carrelError('RESULT_REFUSED', { claim, problem });

function parseRecord(task: TaskRecord, { record, gaveUp, key, claim }: JobResult): TaskResultRecord {
  const name = `${key.run} ${claim}`;
  if (record === null) throw refused(name, gaveUp ?? 'it has no result');
  const parsed = TaskResultRecordSchema.safeParse(parse(record));
  if (!parsed.success) throw refused(name, 'its record cannot be read');
  if (parsed.data.task !== task.id) throw refused(name, `it is of the task ${parsed.data.task}`);
  return parsed.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Incoming {
  readonly store: BlobStore;
  readonly task: TaskRecord;
  readonly record: TaskResultRecord;
  readonly scratch: string;
  readonly host: string;
}

async function bring(context: Context, incoming: Incoming): Promise<BroughtBack> {
  const { store, task, host } = incoming;
  const result = await readManifest(incoming);
  const imported = await bringBranches(context, incoming, result);
  const stages = await unpackOutputs(context, store, task.id, { ...result, stages: stagesOf(task, result) });
  const lines = await bringLog(context, incoming, result);
  const end = describeEnd(task, result, { imported, stages, host });
  const isComplete = imported.problems.length + imported.warnings.length === 0;
  return { task: await recordEnd(context, task, end), lines, isComplete };
}

const MOST_MANIFEST_BYTES = 32 * 1024 ** 2;

async function readManifest({ store, task, record, scratch }: Incoming): Promise<TaskResult> {
  const file = join(scratch, 'manifest');
  await downloadBlob(store, record.manifest, file, { limitBytes: MOST_MANIFEST_BYTES });
  const parsed = TaskResultSchema.safeParse(parse(await readFile(file, 'utf8')));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refused(record.claim, `its manifest, ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { claim, task: id } = parsed.data;
  if (claim !== record.claim || id !== task.id)
    throw refused(record.claim, `its manifest is of ${id}, ${claim}`);
  return parsed.data;
}

/** Those of the workflow, in its order: a result can't add one. */
const stagesOf = (task: TaskRecord, { stages }: TaskResult): Stage[] =>
  task.stages.map(stage => stages.find(({ name }) => name === stage.name) ?? stage);

const NOTHING: ImportedBranches = { branch: null, head: null, warnings: [], problems: [] };

async function bringBranches(
  context: Context,
  { store, task, scratch }: Incoming,
  result: TaskResult,
): Promise<ImportedBranches> {
  if (!result.bundle) return NOTHING;
  const bundle = join(scratch, 'work.bundle');
  await downloadBlob(store, result.bundle.hash, bundle, { limitBytes: result.bundle.size });
  return importBranches(context, task, result, { bundle });
}

async function bringLog(
  context: Context,
  { store, task, scratch }: Incoming,
  { log }: TaskResult,
): Promise<LogLine[]> {
  if (!log) return [];
  const incoming = join(scratch, 'log');
  await downloadBlob(store, log.hash, incoming, { limitBytes: log.size });
  const { logFile } = taskPlace(context.places.stateDir, task.id);
  return writeLog(context, { logFile, keptBytes: task.plan.fleet?.logBytes ?? 0, incoming });
}

interface Brought {
  readonly imported: ImportedBranches;
  readonly stages: Stage[];
  readonly host: string;
}

function describeEnd(task: TaskRecord, result: TaskResult, { imported, stages, host }: Brought): RecordedEnd {
  const { isolation, validation, usage, endedAt, startedAt, events } = result;
  const { branch, head, problems } = imported;
  const failure = problems.length > 0 ? describeRefusal(task, problems, result) : result.failure;
  const isLost = problems.length > 0;
  return {
    status: isLost ? 'failed' : result.status,
    at: endedAt ?? startedAt,
    ...{ startedAt, host, events },
    patch: {
      ...{ stages, validation: [...validation], usage },
      isolation: { ...isolation, requested: task.isolation.requested },
      // A task that changed nothing has no branch, only its name.
      branch: branch ?? (isLost ? task.branch : plannedBranch(task)),
      head: head ?? task.head ?? task.base,
      warnings: [...new Set([...task.warnings, ...result.warnings, ...imported.warnings])],
      ...(failure && { failure }),
    },
  };
}

/** The commits are in the blobs of the fleet, and nowhere else. */
const describeRefusal = (
  { id }: TaskRecord,
  problems: readonly string[],
  { bundle }: TaskResult,
): Failure => ({
  kind: 'isolation',
  stage: null,
  message: `the commits of the worker were refused: ${problems.join('; ')}`,
  hint: `they are a git bundle among the files of the fleet, ${bundle?.hash}; carrel task retry ${id} does the work again`,
  output: null,
});
