import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CarrelError, isCarrelError } from '../../domain/error/error.js';
import type { Failure } from '../../domain/task/failure.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../../operations/context.js';
import { landWorkspace } from '../../operations/workspace/land.js';
import { requireTip } from '../attempt/commit/branch-tip.js';
import { readPartCommits } from '../attempt/commit/commit-parts.js';
import type { PartCommits } from '../record/task-repositories.js';
import { joinInSandbox } from './join-in-sandbox.js';
import { removeJoinedWorkspace } from './remove-joined-workspace.js';

export interface JoinRequest {
  /** Message of the merge commit. */
  readonly message: string;
  readonly signal?: AbortSignal | undefined;
}

export type Joined =
  | {
      readonly kind: 'joined';
      readonly commit: string;
      /** In each of several repositories. */
      readonly commits: PartCommits;
      readonly warnings: readonly string[];
    }
  /** Nothing was changed. */
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: Pick<Failure, 'kind' | 'message' | 'hint'> };

/**
 * Whether stages may run in parallel in workspaces created from this one: it must have its own branch and files
 * that can be moved to another commit. In jj they would have to be rebased.
 */
export function canRunInParallel(record: WorkspaceRecord): boolean {
  if (record.backend !== 'git' && record.backend !== 'overlay') return false;
  return !(record.sandbox && existsSync(join(record.repository, '.jj')));
}

/**
 * Merges the branch of a stage's own workspace into the task's branch and updates the task's files; a fast-forward
 * where possible. Then the stage's workspace is removed, because the task has all of it; a conflict changes
 * nothing, and both stay. Joining again after a crash is safe.
 */
export async function joinWork(
  context: Context,
  task: WorkspaceRecord,
  stage: WorkspaceRecord,
  request: JoinRequest,
): Promise<Joined> {
  try {
    const warnings = task.sandbox
      ? await joinInSandbox(context, task, stage, request)
      : await joinOutside(context, task, stage, request);
    const commits = await readPartCommits(context, task, part => part.base.commit);
    return { kind: 'joined', commit: await requireTip(context, task), commits, warnings };
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
    const landing = {
      repository,
      name: stage.id,
      into,
      ...request,
      forOwnTask: true,
      allowAutorunFiles: true,
    };
    const { warnings } = await landWorkspace(context, landing);
    return warnings;
  } catch (error) {
    if (isCarrelError(error, 'LAND_NOTHING')) return removeJoinedWorkspace(context, stage);
    throw error;
  }
}

function explain(task: WorkspaceRecord, stage: WorkspaceRecord, error: CarrelError) {
  const message = `cannot join the work of ${stage.name} to ${task.branch}: ${error.message}`;
  const hint = `it stays on ${stage.branch}; ${error.hint}`;
  if (error.code === 'DISK_FULL') return { kind: 'disk-full', message, hint } as const;
  const isDirty = ['LAND_CHECKOUT_DIRTY', 'LAND_UNCOMMITTED'].includes(error.code);
  return { kind: isDirty ? 'merge-conflict' : 'internal', message, hint } as const;
}
