import { rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Attempt } from '../../domain/batch/attempt.js';
import type { RunRemoval } from '../../domain/batch/eval-report.js';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import {
  describeHost,
  findLivingOwner,
  releaseOwnership,
  takeOwnership,
} from '../../operations/batch/owner-file.js';
import type { Context } from '../../operations/context.js';
import { measureDiskUsage } from '../../workspace/files/directory-size.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import { findRun, listPointersTo } from './find-run.js';
import { isKeptFiles } from './kept-attempt-files.js';
import { type RunPlace, runPlace } from './run-place.js';
import { readRun, runsDirectory } from './run-store.js';

/**
 * Removes the results of a run and the kept files of its attempts. In a directory that the user named, removes only
 * what a run writes there. RUN_NOT_FOUND, RUN_BUSY.
 */
export async function removeRun(
  context: Pick<Context, 'self' | 'places' | 'cwd'>,
  name: string,
): Promise<RunRemoval> {
  const place = runPlace(await findRun(context, name));
  const { id, attempts } = await readRun(place.directory);
  if (!(await takeOwnership(place.ownerFile, context.self))) {
    const owner = await findLivingOwner(place.ownerFile);
    throw carrelError('RUN_BUSY', { id, pid: owner?.pid ?? 0, where: describeHost(owner) });
  }
  try {
    return { id, ...(await removeAll(context, place, attempts)) };
  } finally {
    await releaseOwnership(place.ownerFile, context.self);
  }
}

async function removeAll(
  context: Pick<Context, 'places'>,
  place: RunPlace,
  attempts: readonly Attempt[],
): Promise<Omit<RunRemoval, 'id'>> {
  const { directory } = place;
  const paths = attempts.flatMap(({ worktreePath }) => worktreePath ?? []);
  const kept = paths.filter(path => isKeptFiles(context, path));
  const sizes = await Promise.all([directory, ...kept].map(path => measureDiskUsage(path)));
  for (const path of kept) await removeTree(path);
  const isDirectoryLeft = await removeResults(context, place);
  for (const pointer of await listPointersTo(context, directory)) await rm(pointer, { force: true });
  const freedBytes = sizes.reduce((sum, bytes) => sum + bytes, 0);
  return { directory, isDirectoryLeft, keptFiles: kept.length, freedBytes };
}

/** The plan is removed last: until then the run can be found, and an interrupted removal can be repeated. */
async function removeResults(context: Pick<Context, 'places'>, place: RunPlace): Promise<boolean> {
  const { directory, indexFile, planFile, ownerFile } = place;
  for (const path of [place.attemptsDirectory, place.reportFile, indexFile, planFile, ownerFile])
    await removeTree(path);
  if (dirname(directory) === runsDirectory(context)) await removeTree(directory);
  return !(await removeIfEmpty(directory));
}

async function removeIfEmpty(directory: string): Promise<boolean> {
  try {
    await rmdir(directory);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return true;
    if (!['ENOTEMPTY', 'EEXIST', 'EBUSY', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) throw error;
    return false;
  }
}
