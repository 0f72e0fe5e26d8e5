import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import type { GcItem } from '../../domain/report/result.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import { measureDiskUsage } from '../../workspace/files/directory-size.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import type { Context, Places } from '../context.js';
import { removeMark, waitForSecondStep } from './two-step-expiry.js';

/** Files of batch attempts that the user chose to keep: a directory each. */
export const keptFilesDirectory = ({ cacheDir }: Pick<Places, 'cacheDir'>): string =>
  join(cacheDir, 'eval', 'kept');

export interface KeptFilesCollection {
  readonly olderThanMs: number;
  readonly execute: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** They belong to no repository and are copies for inspection: the patch of the attempt is with the results of its run. */
export async function collectKeptFiles(
  context: Pick<Context, 'now' | 'steadyTime' | 'places'>,
  input: KeptFilesCollection,
): Promise<GcItem[]> {
  const directory = keptFilesDirectory(context.places);
  const items: GcItem[] = [];
  for (const name of (await readdir(directory).catch(ignoreMissing)) ?? []) {
    input.signal?.throwIfAborted();
    const planned = await plan(context, join(directory, name), name, input.olderThanMs);
    if (planned) items.push(await collectOne(context, planned, input));
  }
  return items;
}

/** A limit of 0 does not depend on the clock. */
async function collectOne(
  context: Pick<Context, 'now' | 'steadyTime' | 'places'>,
  planned: GcItem,
  input: KeptFilesCollection,
): Promise<GcItem> {
  if (planned.action === 'keep') {
    if (input.execute) await removeMark(context, planned);
    return planned;
  }
  const next = input.olderThanMs > 0 ? await waitForSecondStep(context, planned, input.execute) : planned;
  if (!input.execute || next.action === 'keep') return next;
  const done = await execute(next);
  if (done.outcome === 'removed') await removeMark(context, done);
  return done;
}

async function plan(
  { now }: Pick<Context, 'now'>,
  path: string,
  name: string,
  olderThanMs: number,
): Promise<GcItem | undefined> {
  const info = await lstat(path).catch(ignoreMissing);
  if (!info) return undefined;
  const ageMs = Math.max(0, now() - info.mtimeMs);
  const item = { kind: 'kept-files', id: name, name, path } as const;
  const kept = `files of an attempt, kept ${formatDuration(ageMs)} ago`;
  if (ageMs < olderThanMs) {
    const reason = `${kept}, for ${formatDuration(olderThanMs)}`;
    return { ...item, action: 'keep', reason, bytes: null, outcome: 'kept' };
  }
  const bytes = await measureDiskUsage(path);
  return { ...item, action: 'remove', reason: kept, bytes, outcome: 'planned' };
}

async function execute(planned: GcItem): Promise<GcItem> {
  try {
    await removeTree(planned.path as string);
    return { ...planned, outcome: 'removed' };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...planned, reason: `it could not be removed: ${problem}`, outcome: 'failed' };
  }
}
