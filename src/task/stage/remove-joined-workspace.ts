import { isCarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../../operations/context.js';
import { removeRecord } from '../../operations/removal/down.js';

/** Removes a joined workspace like any other: only when nothing can be lost, and with a snapshot. Returns warnings. */
export async function removeJoinedWorkspace(context: Context, stage: WorkspaceRecord): Promise<string[]> {
  try {
    return (await removeRecord(context, stage, { accepted: {}, reason: 'land', forOwnTask: true })).warnings;
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    return [`joined, but ${error.message}`];
  }
}
