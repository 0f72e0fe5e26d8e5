import { relative } from 'node:path';
import { z } from 'zod';
import { carrelError } from '../../../domain/error/error.js';
import type { Context } from '../../../operations/context.js';
import { findRun } from '../../record/find-run.js';
import { runField } from '../../record/run-field.js';
import { runPlace } from '../../record/run-place.js';
import { readRun } from '../../record/run-store.js';
import { readRunFile } from '../run-file.js';

/** How a request names an attempt. */
export const attemptFields = {
  run: runField,
  task: z.string().min(1).describe('id of the task in its dataset'),
  attempt: z.int().min(1).describe('number of the attempt, from 1'),
};

export interface AttemptName {
  readonly run: string;
  readonly task: string;
  readonly attempt: number;
}

const MOST_BYTES = 8 * 1024 ** 2;

/** The patch of an attempt, empty when it changed nothing. ATTEMPT_NOT_FOUND, also for a patch that is too large. */
export async function readAttemptPatch(
  context: Pick<Context, 'places' | 'cwd'>,
  name: AttemptName,
): Promise<Buffer> {
  const { directory, attempt, notFound } = await findAttempt(context, name);
  if (!attempt) throw notFound();
  if (attempt.patchPath === null) return Buffer.alloc(0);
  const file = await readRunFile(directory, attempt.patchPath, { most: MOST_BYTES, from: 'start' });
  // A cut patch would look complete.
  if (!file || file.size > MOST_BYTES) throw notFound();
  return file.bytes;
}

/** The end of an attempt's log, also of a running one. ATTEMPT_NOT_FOUND. */
export async function readAttemptLog(
  context: Pick<Context, 'places' | 'cwd'>,
  name: AttemptName,
): Promise<Buffer> {
  const { directory, attempt, notFound } = await findAttempt(context, name);
  const { logFile } = runPlace(directory).attempt(name.task, name.attempt);
  const path = attempt?.logPath ?? relative(directory, logFile);
  const file = await readRunFile(directory, path, { most: MOST_BYTES, from: 'end' });
  if (!file) throw notFound();
  return file.bytes;
}

/** A planned attempt; it has a record once it has finished. */
async function findAttempt(
  context: Pick<Context, 'places' | 'cwd'>,
  { run, task, attempt: number }: AttemptName,
) {
  const { id, directory, taskIds, attemptsPerTask, attempts } = await readRun(await findRun(context, run));
  const notFound = () => carrelError('ATTEMPT_NOT_FOUND', { run: id, taskId: task, attempt: number });
  if (!taskIds.includes(task) || number > attemptsPerTask) throw notFound();
  const attempt = attempts.find(each => each.taskId === task && each.attempt === number);
  return { directory, attempt, notFound };
}
