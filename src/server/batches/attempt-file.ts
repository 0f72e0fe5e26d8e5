import { relative } from 'node:path';
import { findRunById } from '../../batch/find-run.js';
import { readRunFile } from '../../batch/report/run-file.js';
import { runPlace } from '../../batch/run-place.js';
import { readRun } from '../../batch/run-store.js';
import { carrelError } from '../../domain/error.js';
import type { ServerContext } from '../server-context.js';

export interface AttemptQuery {
  readonly run: string;
  readonly taskId: string;
  readonly attempt: number;
}

const MOST_BYTES = 8 * 1024 ** 2;

/** The patch of an attempt, empty when it changed nothing. ATTEMPT_NOT_FOUND, also for one that is too large to be a patch still. */
export async function readAttemptPatch(server: ServerContext, query: AttemptQuery): Promise<Buffer> {
  const { run, attempt } = await findAttempt(server, query);
  if (!attempt) throw carrelError('ATTEMPT_NOT_FOUND', { ...query });
  if (attempt.patchPath === null) return Buffer.alloc(0);
  const file = await readRunFile(run.directory, attempt.patchPath, { most: MOST_BYTES, from: 'start' });
  // A part of a patch would be taken for the whole.
  if (!file || file.size > MOST_BYTES) throw carrelError('ATTEMPT_NOT_FOUND', { ...query });
  return file.bytes;
}

/** The end of an attempt's log, also of one that runs. ATTEMPT_NOT_FOUND. */
export async function readAttemptLog(server: ServerContext, query: AttemptQuery): Promise<Buffer> {
  const { run, attempt } = await findAttempt(server, query);
  const { logFile } = runPlace(run.directory).attempt(query.taskId, query.attempt);
  const path = attempt?.logPath ?? relative(run.directory, logFile);
  const file = await readRunFile(run.directory, path, { most: MOST_BYTES, from: 'end' });
  if (!file) throw carrelError('ATTEMPT_NOT_FOUND', { ...query });
  return file.bytes;
}

/** One that was planned; its record is there when it has come out. */
async function findAttempt({ app }: ServerContext, query: AttemptQuery) {
  const run = await readRun(await findRunById(app, query.run));
  const isPlanned = run.taskIds.includes(query.taskId) && query.attempt <= run.attemptsPerTask;
  if (!isPlanned) throw carrelError('ATTEMPT_NOT_FOUND', { ...query });
  const attempt = run.attempts.find(each => each.taskId === query.taskId && each.attempt === query.attempt);
  return { run, attempt };
}
