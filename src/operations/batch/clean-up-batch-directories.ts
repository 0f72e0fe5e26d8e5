import { basename } from 'node:path';
import type { GcItem } from '../../domain/report/result.js';
import { measureDiskUsage } from '../../workspace/files/directory-size.js';
import type { Context } from '../context.js';
import { listAbandonedBatches, removeAbandonedBatch } from './batch-directories.js';

/** Removes what killed batches left. Nothing is lost: finished attempts are with the results of their run. */
export async function collectBatchDirectories(context: Context, execute: boolean): Promise<GcItem[]> {
  const items: GcItem[] = [];
  for (const path of await listAbandonedBatches(context)) {
    const name = basename(path);
    const reason = 'left by a batch that was killed; its finished attempts are kept with its results';
    const bytes = await measureDiskUsage(path);
    const planned = { kind: 'batch', id: name, name, path, action: 'remove', reason, bytes } as const;
    items.push(
      execute
        ? await remove(context, { ...planned, outcome: 'planned' })
        : { ...planned, outcome: 'planned' },
    );
  }
  return items;
}

async function remove(context: Context, item: GcItem): Promise<GcItem> {
  try {
    const isGone = await removeAbandonedBatch(context, item.path as string);
    if (isGone) return { ...item, outcome: 'removed' };
    return { ...item, action: 'keep', reason: 'another process is removing it', outcome: 'kept' };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...item, reason: `it could not be removed: ${problem}`, outcome: 'failed' };
  }
}
