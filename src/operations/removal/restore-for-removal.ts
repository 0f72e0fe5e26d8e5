import { existsSync } from 'node:fs';
import { isCarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { findLastState } from '../capture/find-last-snapshot.js';
import type { Context } from '../context.js';

/**
 * For a removal that found no files to set aside, because they were deleted before: restores the last checkpoint, so that the removal's
 * snapshot has its files together with later commits, and is not empty. False when they can't be written; then the checkpoint has to
 * stay.
 */
export async function restoreDeleted(
  context: Pick<Context, 'store' | 'backends' | 'narrate'>,
  record: WorkspaceRecord,
): Promise<boolean> {
  const { removal, returning } = context.backends.of(record.backend);
  const aside = removal.asideOf(record);
  if (!returning || existsSync(aside)) return true;
  const from = await findLastState(context, record.id);
  if (!from) return true;
  try {
    await returning.fill(record, from, aside);
    return true;
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    context.narrate(`warning: the files of ${from.id} are not in the last snapshot: ${error.message}`);
    return false;
  }
}
