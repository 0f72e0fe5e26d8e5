import { lstat } from 'node:fs/promises';
import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { adminDirOf, type LinkedWorktree } from '../../git/repository/linked-worktree.js';

/** Where git finds a workspace: its own git directory, its files, and the git directory that it shares. */
export interface WorktreePlace {
  readonly gitDir: string;
  readonly workTree: string;
  readonly commonDir: string;
  /** As in git/work-tree-place.ts. */
  readonly isForeign: boolean;
}

/**
 * Known from the record alone: the admin directory is named after the id, so it is never looked up by path. The
 * files of a sandboxed workspace are written by the agent inside.
 */
export function worktreeGitDir(
  record: Pick<WorkspaceRecord, 'id' | 'path' | 'commonDir' | 'sandbox'>,
): WorktreePlace {
  const commonDir = requireCommonDir(record);
  const gitDir = adminDirOf({ commonDir, id: record.id });
  return { gitDir, workTree: record.path, commonDir, isForeign: record.sandbox !== undefined };
}

export function requireCommonDir(record: Pick<WorkspaceRecord, 'id' | 'commonDir'>): string {
  if (record.commonDir === null)
    throw carrelError('INTERNAL', { problem: `the git workspace ${record.id} has no git directory` });
  return record.commonDir;
}

/** When the user deletes a repository its workspaces stay; then there is nothing to unregister them from. */
export function hasRepository(record: Pick<WorkspaceRecord, 'id' | 'commonDir'>): Promise<boolean> {
  return lstat(requireCommonDir(record)).then(
    info => info.isDirectory(),
    () => false,
  );
}

export const worktreeOf = (record: WorkspaceRecord): LinkedWorktree => ({
  commonDir: requireCommonDir(record),
  id: record.id,
  path: record.path,
  isClosed: canBeUncovered(record),
});

/**
 * A process that may create namespaces inside can reach what is covered there (see docs/guides/sandbox.md), so a
 * repository at the workspace's path can't be trusted: git outside is never led there. With `surgical` the link is the
 * one that is used inside.
 */
const canBeUncovered = ({ sandbox }: WorkspaceRecord): boolean =>
  sandbox?.nested === true && sandbox.git === 'private';

/** The workspace's own branch. */
export const branchRef = (record: WorkspaceRecord): string => `refs/heads/${record.branch}`;

/** Keeps the base commit alive when no branch of the user's holds it, so that `diff` always has a base. */
export const basePin = (record: WorkspaceRecord): string => `refs/carrel/workspaces/${record.id}/base`;

/** Where the branch was created, written in the same transaction: proof that the branch is ours. */
export const startPin = (record: WorkspaceRecord): string => `refs/carrel/workspaces/${record.id}/start`;
