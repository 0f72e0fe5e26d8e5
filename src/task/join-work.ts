import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CarrelError, isCarrelError } from '../domain/error.js';
import type { Failure } from '../domain/failure.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from '../operations/context.js';
import { landWorkspace } from '../operations/land.js';
import { requireTip } from './branch-tip.js';
import { joinInside } from './join-inside.js';
import { removeJoined } from './remove-joined.js';

export interface JoinRequest {
  /** For the commit of a merge. */
  readonly message: string;
  readonly signal?: AbortSignal | undefined;
}

export type Joined =
  | { readonly kind: 'joined'; readonly commit: string; readonly warnings: readonly string[] }
  /** Nothing was changed. */
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: Pick<Failure, 'kind' | 'message' | 'hint'> };

/**
 * Whether stages may run beside each other in workspaces that are made from this one: where it has a branch and files
 * of its own that can be brought to another commit. In jj they would have to be rebased.
 */
export function canRunBeside(record: WorkspaceRecord): boolean {
  if (record.backend !== 'git' && record.backend !== 'overlay') return false;
  return !(record.sandbox && existsSync(join(record.repository, '.jj')));
}

/**
 * Merges the branch of a stage's own workspace into that of the task and brings the task's files along; a fast-forward
 * where that will do. Then the stage's workspace goes, because all that it had is in the task's; a conflict changes
 * nothing, and both stay. Joining again what was joined before a crash does no harm.
 */
export async function joinWork(
  context: Context,
  task: WorkspaceRecord,
  stage: WorkspaceRecord,
  request: JoinRequest,
): Promise<Joined> {
  try {
    const warnings = task.sandbox
      ? await joinInside(context, task, stage, request)
      : await joinOutside(context, task, stage, request);
    return { kind: 'joined', commit: await requireTip(context, task), warnings };
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    if (error.code === 'LAND_CONFLICT')
      return { kind: 'conflict', files: error.details.files as readonly string[] };
    return { kind: 'failed', failure: explain(task, stage, error) };
  }
}

/** As landing does: the task's branch moves by compare-and-swap, and its worktree follows when it is clean. */
async function joinOutside(
  context: Context,
  task: WorkspaceRecord,
  stage: WorkspaceRecord,
  request: JoinRequest,
): Promise<string[]> {
  const { repository } = task;
  const into = task.branch as string;
  try {
    const landing = { repository, name: stage.id, into, ...request, forOwnTask: true };
    const { warnings } = await landWorkspace(context, landing);
    return warnings;
  } catch (error) {
    if (isCarrelError(error, 'LAND_NOTHING')) return removeJoined(context, stage);
    throw error;
  }
}

function explain(task: WorkspaceRecord, stage: WorkspaceRecord, error: CarrelError) {
  const message = `the work of ${stage.name} could not be joined to ${task.branch}: ${error.message}`;
  const hint = `it stays on ${stage.branch}; ${error.hint}`;
  if (error.code === 'DISK_FULL') return { kind: 'disk-full', message, hint } as const;
  const isDirty = ['LAND_CHECKOUT_DIRTY', 'LAND_UNCOMMITTED'].includes(error.code);
  return { kind: isDirty ? 'merge-conflict' : 'internal', message, hint } as const;
}
