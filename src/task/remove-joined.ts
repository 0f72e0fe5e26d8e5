import { isCarrelError } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from '../operations/context.js';
import { removeRecord } from '../operations/down.js';

/** A joined workspace goes like any other: only when nothing can be lost, and with a snapshot. Gives warnings. */
export async function removeJoined(context: Context, stage: WorkspaceRecord): Promise<string[]> {
  try {
    return (await removeRecord(context, stage, { accepted: {}, reason: 'land', forOwnTask: true })).warnings;
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    return [`joined, but ${error.message}`];
  }
}
